//! Messages of any bytes are taken apart in order: entities are nested, and a base is a URL in
//! every profile.

use basectx::Context;
use basectx::message::{Around, Contexts, Message, Profile};
use urlcore::Dialect;

pub(crate) fn check(bytes: &[u8]) {
    let message = Message::read(bytes);
    for (idx, entity) in message.entities.iter().enumerate() {
        assert!(entity.headers.start <= entity.headers.end);
        assert_eq!(entity.headers.end, entity.body.start);
        assert!(entity.body.start <= entity.body.end && entity.body.end <= bytes.len());
        let mut from = entity.body.start;
        for child in entity.children.iter().map(|child| &message.entities[*child]) {
            assert!(child.parent == Some(idx) && child.headers.start >= from);
            assert!(child.body.end <= entity.body.end);
            from = child.body.end;
        }
        for field in &entity.fields {
            assert!(
                field.name.start >= entity.headers.start && field.value.end <= entity.headers.end
            );
            let _ = field.text(bytes);
        }
        let _ = (message.part(idx), message.header_section_name(idx));
    }
    let outside = Context::retrieval("http://h.example/a/b.eml".parse().unwrap(), "--base");
    for (_, profile) in Profile::ALL {
        let contexts = Contexts::new(&message, profile);
        let around = Around { context: &outside, part: "", raw: &|span| span };
        for bad in contexts.fill(&message, bytes, around) {
            assert!(bad.entity < message.entities.len() && bad.span.end <= bytes.len());
        }
        for (idx, entity) in message.entities.iter().enumerate() {
            let context = contexts.get(idx).expect("each has one");
            let is_url = |base: &str| urlcore::is_absolute(base, Dialect::Rfc3986, None);
            assert!(context.base().is_none_or(is_url), "{:?}", context.base());
            let _ = (contexts.own_url(&message, idx, bytes), entity.is_message());
        }
    }
}
