// What is used in a page, in the order of its elements: a function of a document and its window
// that returns a line for each thing, which ends with a URL. Read by look.py.
(() => {
  const STYLES = ['background-image', 'border-image-source', 'content', 'cursor', 'fill', 'filter', 'list-style-image', 'mask-image'];
  const PROPERTIES = ['href', 'action', 'formAction', 'poster', 'src', 'cite', 'data'];
  // What these refer to is resolved when they are parsed: their properties have another base.
  const UNSEEN = ['base', 'script', 'source'];

  return (page, window) => {
    const found = ['view ' + window.innerWidth + ' ' + window.devicePixelRatio];
    if (!page || !page.documentElement) return ['no document'];
    const shown = (element) => { try { return element.contentWindow.location.href; } catch { return element.src; } };
    const urls = (element, pseudo, add) => {
      const style = window.getComputedStyle(element, pseudo);
      for (const name of STYLES) {
        for (const url of style.getPropertyValue(name).match(/url\("[^"]*"\)/g) || []) add(name + (pseudo || ''), url.slice(5, -2));
      }
    };
    // Returns true if no base comes before an element.
    const isBefore = (element) => {
      const first = page.querySelector('base[href]');
      return !first || element.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING;
    };
    // What may be resolved against a base that comes later, or against the one before, as it
    // happens.
    const either = (element) => {
      const values = ['src', 'href', 'background', 'fill', 'srcset', 'data', 'poster'].map(name => element.getAttribute(name) || '');
      for (const value of values.flatMap(value => value.replace(/^url\((.*)\)$/, '$1').split(', '))) {
        const url = value.split(' ')[0];
        if (!url) continue;
        found.push('either later ' + new URL(url, page.baseURI).href);
        if (isBefore(element)) found.push('either before ' + new URL(url, page.URL).href);
      }
    };
    const look = (root) => {
      for (const element of root.querySelectorAll('*')) {
        const name = element.localName, add = (what, url) => found.push(`${element.id || name} ${what} ${url}`);
        if (element.id === 'e') either(element);
        else if (name === 'img' && element.src && isBefore(element)) found.push('parsed img ' + new URL(element.getAttribute('src'), page.URL).href);
        for (const pseudo of [null, '::before']) urls(element, pseudo, add);
        if (name === 'img') add(`shows ${element.naturalWidth} wide`, element.currentSrc);
        else if (name === 'iframe') {
          add('shows', shown(element));
          if (element.srcdoc && element.contentDocument) for (const image of element.contentDocument.images) add(`shows ${image.naturalWidth} wide`, image.currentSrc);
        } else if (name === 'link') {
          if (element.sheet) add('loads', element.sheet.href);
          else if (!/preload|stylesheet/.test(element.rel)) add('href', element.href);
        } else if (name === 'image' || name === 'use') add('size', element.getBBox().width);
        else if (!UNSEEN.includes(name)) {
          for (const property of PROPERTIES) {
            const value = element[property];
            if (typeof value === 'string' && element.getAttribute(property) !== null) add(property, value);
            else if (value && value.animVal !== undefined) add(property, new window.URL(value.animVal, page.baseURI).href);
          }
        }
        if (element.shadowRoot) look(element.shadowRoot);
      }
    };
    look(page);
    for (const sheet of page.styleSheets) found.push('sheet ' + (sheet.href || 'inline'));
    for (const name of window.seen || []) found.push('script ' + name);
    for (const name of (window.modules || []).sort()) found.push('module ' + name);
    const root = window.getComputedStyle(page.documentElement);
    found.push('last sheet ' + root.getPropertyValue('--last'), 'printed ' + root.getPropertyValue('--printed'));
    return found;
  };
})()
