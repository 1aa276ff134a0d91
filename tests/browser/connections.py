"""What connects although nothing in a message may: pieces of bodies, each with an address of its own,
and `Listener`, which counts who connects to which.
"""

import select
import socket
import threading

# `{}` is the address, with its slash at the end.
CONNECTING = {
    "image": "<img src={}>",
    "srcset": '<img srcset="{} 1x">',
    "source": '<picture><source srcset="{} 1x"><img></picture>',
    "background": "<body background={}>",
    "css": '<p style="background:url({})">x',
    "import": '<style>@import "{}";</style>',
    "import in data": "<style>@import \"data:text/css,@import '{}';\";</style>",
    "font": "<style>@font-face{{font-family:x;src:url({})}}p{{font-family:x}}</style><p>x",
    "cursor": "<style>*{{cursor:url({}),auto}}</style>x",
    "style sheet": "<link rel=stylesheet href={}>",
    "icon": "<link rel=icon href={}>",
    "preload": "<link rel=preload as=image href={}>",
    "module": "<link rel=modulepreload href={}>",
    "prefetch": "<link rel=prefetch href={}>",
    "prerender": "<link rel=prerender href={}>",
    "preconnect": "<link rel=preconnect href={}>",
    "preconnect with credentials": "<link rel=preconnect crossorigin=use-credentials href={}>",
    "name": "<link rel=dns-prefetch href={}>",
    "dictionary": "<link rel=compression-dictionary href={}>",
    "manifest": "<link rel=manifest href={}>",
    "header": '<meta http-equiv=Link content="<{}>; rel=preload; as=image">',
    "speculation": '<script type=speculationrules>{{"prefetch":[{{"source":"list","urls":["{}"],"eagerness":"immediate"}}]}}</script>',
    "frame": "<iframe src={}></iframe>",
    "frameset": "<frameset cols=*><frame src={}></frameset>",
    "frame in a text": '<iframe srcdoc="<img src={}>"></iframe>',
    "object": "<object data={}></object>",
    "object in data": "<object type=image/svg+xml data=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='{}'/></svg>\"></object>",
    "embed": "<embed src={}>",
    "video": "<video src={} autoplay></video>",
    "poster": "<video poster={}></video>",
    "audio": "<audio src={} preload=auto></audio>",
    "SVG": "<svg><image href={} width=9 height=9 /></svg>",
    "use": "<svg><use href={}#x /></svg>",
    "filter": "<svg><filter id=f><feImage href={} /></filter><rect width=9 height=9 filter=url(#f) /></svg>",
    "script": "<script src={}></script>",
    "code": '<script>new Image().src="{}"</script>',
    "event": "<img src=x onerror=\"new Image().src='{}'\">",
    "base": "<base href={}><img src=x>",
    "report": '<meta http-equiv=Content-Security-Policy content="img-src \'none\'; report-uri {}"><img src=x>',
    "no script": "<noscript><img src={}></noscript>",
    "shadow": "<div><template shadowrootmode=open><img src={}></template></div>",
    "text": "<plaintext><img src={}>",
    "comment": "<!--><img src={}>-->",
    "form": '<form id=f action={}><input autofocus onfocus="this.form.submit()"></form>',
    "refresh": '<meta http-equiv=refresh content="0;url={}">',
    "refresh below a base": "<base href={}><meta http-equiv=refresh content=0;url=zz>",
    "refresh without scripts": '<noscript><meta http-equiv=refresh content="0;url={}"></noscript>',
    "refresh in a text": "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url={}'>\"></iframe>",
    "refresh to data": '<meta http-equiv=refresh content="0;url=data:text/html,<img src={}>">',
    "SVG script": "<svg><script href={} /></svg>",
    "portal": "<portal src={}></portal>",
    "attribution": "<img attributionsrc={} src=x>",
    "UTF-7": "+ADw-img src={}+AD4-",
    "style sheet of XML": '<?xml-stylesheet type="text/xsl" href="{}"?><html></html>',
    "MathML": "<math><mtext><img src={}></mtext></math>",
    "ping": "<a href=x ping={}>x</a>",
    "preconnect without credentials": "<link rel=preconnect crossorigin href={}>",
    "lookup": "<meta http-equiv=x-dns-prefetch-control content=on><a href={}>x</a>",
}


class Listener:
    """Sockets that count connections, and answer that nothing is there."""

    def __init__(self, names):
        self.sockets, self.found = {}, set()
        for name in names:
            listening = socket.create_server(("127.0.0.1", 0))
            self.sockets[listening] = name
        self.is_open = True
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def address(self, name):
        listening = next(listening for listening, of in self.sockets.items() if of == name)
        return f"http://127.0.0.1:{listening.getsockname()[1]}/"

    def listen(self):
        # What connects may ask for nothing.
        connected = []
        while self.is_open:
            for ready in select.select([*self.sockets, *connected], [], [], 0.1)[0]:
                if ready in self.sockets:
                    self.found.add(self.sockets[ready])
                    connected.append(ready.accept()[0])
                    continue
                connected.remove(ready)
                with ready:
                    try:
                        if ready.recv(1 << 14):
                            ready.sendall(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    except OSError:
                        pass
        for connection in connected:
            connection.close()

    def close(self):
        self.is_open = False
        self.thread.join()
        for listening in self.sockets:
            listening.close()
