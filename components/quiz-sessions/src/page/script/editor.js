// A small editor for rich texts: bold, italic, headings, lists and links, by mouse, by touch or by keys.

/** What a text is made of; everything else that is pasted loses its element and keeps its words. */
const KEPT = new Set(["P", "BR", "B", "STRONG", "I", "EM", "H3", "UL", "OL", "LI", "A"]);
const DROPPED = "script, style, link, meta, title, template, iframe, object, embed, svg, math";
const BLOCKS = "p, h3, ul, ol, li, br, div";
const ADDRESS = /^(https?:\/\/|mailto:)/i;

/** The nodes without what a text is not made of. Loose words are made paragraphs. */
function cleaned(nodes) {
  const root = make("div");
  root.append(...[...nodes].map((node) => document.importNode(node, true)));
  root.querySelectorAll(DROPPED).forEach((element) => element.remove());
  // What was a block stays one.
  for (const block of root.querySelectorAll("div, section, article, blockquote, pre, td, h1, h2, h4, h5, h6")) {
    const isHeading = /^H\d$/.test(block.tagName), hasBlocks = block.querySelector("p, div, ul, ol, h1, h2, h3, h4, h5, h6") !== null;
    if (hasBlocks) continue;
    const kept = make(isHeading ? "h3" : "p");
    kept.append(...block.childNodes);
    block.replaceWith(kept);
  }
  for (const element of [...root.querySelectorAll("*")].reverse()) {
    const href = element.tagName === "A" ? element.getAttribute("href") : null;
    if (!KEPT.has(element.tagName) || (element.tagName === "A" && !ADDRESS.test(href ?? ""))) {
      element.replaceWith(...element.childNodes);
      continue;
    }
    for (const { name } of [...element.attributes]) element.removeAttribute(name);
    if (href !== null) element.setAttribute("href", href);
  }
  // Browsers make a list within the paragraph that it was.
  for (const block of root.querySelectorAll("p, h3")) {
    if (block.querySelector("ul, ol, p, h3")) block.replaceWith(...block.childNodes);
  }
  return inParagraphs(root);
}

/** The same with paragraphs around words that stand in no block. */
function inParagraphs(root) {
  let open = null;
  for (const node of [...root.childNodes]) {
    const isBlock = ["P", "H3", "UL", "OL"].includes(node.tagName);
    if (isBlock || (open === null && node.nodeType === Node.TEXT_NODE && node.data.trim() === "")) {
      open = null;
      continue;
    }
    if (open === null) {
      open = make("p");
      node.before(open);
    }
    open.append(node);
  }
  return root;
}

/** The HTML of an answer; null where nothing is written. */
function writtenHtml(editable) {
  const root = cleaned(editable.childNodes);
  return root.textContent.trim() === "" ? null : root.innerHTML;
}

/** The words of what is written: blocks end words. */
function writtenText(editable) {
  const copy = editable.cloneNode(true);
  copy.querySelectorAll(BLOCKS).forEach((block) => block.after(" "));
  return copy.textContent;
}

const COMMANDS = [
  ["bold", "bold", null, "B"],
  ["italic", "italic", null, "I"],
  ["heading", "formatBlock", "h3", "H"],
  ["bullets", "insertUnorderedList", null, "•"],
  // The style sheet writes it: words on a button belong to its name.
  ["numbers", "insertOrderedList", null, ""],
];

/**
 * An editor of that HTML. `change` is called with the HTML, or null, whenever it is another one; `attributes` are those of the
 * field.
 */
function richEditor(html, attributes, change) {
  const editable = make("div", {
    class: "editable", contenteditable: "true", role: "textbox", "aria-multiline": "true", ...attributes,
    input: told, keydown: onKey, paste: onPaste, drop: (event) => event.preventDefault(),
  });
  editable.append(...cleaned(rich(html).childNodes).childNodes);
  const buttons = COMMANDS.map(([name, command, value, sign]) => tool(name, sign, () => format(name, command, value)));
  const link = tool("link", "🔗", () => openLink());
  const bar = make("div", { class: "tools", role: "toolbar", "aria-label": say("formatting"), keydown: onBarKey }, buttons, link);
  const address = make("input", { id: newId("address"), type: "url", autocomplete: "off", placeholder: "https://" });
  const linkForm = make("div", { class: "link-form", hidden: true, keydown: onLinkKey },
    make("label", { for: address.id }, say("link_address")), address,
    button(say("link_set"), () => setLink(), { class: "plain small" }), button(say("link_remove"), () => setLink(""), { class: "plain small" }));
  let range = null;

  function tool(name, sign, act) {
    const label = say(name);
    return make("button", {
      type: "button", class: "plain small tool", title: label, "aria-label": label, "aria-pressed": "false", tabindex: -1, "data-tool": name,
      mousedown: (event) => event.preventDefault(), click: act,
    }, make("span", { "aria-hidden": "true", class: `sign ${name}` }, sign));
  }
  function told() {
    change(writtenHtml(editable));
    show();
  }
  /** A heading that is pressed again is a paragraph. */
  function format(name, command, value) {
    editable.focus();
    const isHeading = name === "heading" && around("H3") !== null;
    const before = selected();
    document.execCommand("styleWithCSS", false, "false");
    document.execCommand(command, false, isHeading ? "p" : value);
    // Chromium loses the caret where it makes a block of words that stood in none.
    if (selected().some((at, end) => at !== before[end])) select(before);
    told();
  }
  /** The characters before both ends of what is selected. */
  function selected() {
    const { anchorNode, anchorOffset, focusNode, focusOffset } = document.getSelection();
    return [[anchorNode, anchorOffset], [focusNode, focusOffset]].map(([node, offset]) => {
      if (!editable.contains(node)) return 0;
      const range = document.createRange();
      range.selectNodeContents(editable);
      range.setEnd(node, offset);
      return range.toString().length;
    });
  }
  function select(ends) {
    document.getSelection().setBaseAndExtent(...ends.flatMap(placeBehind));
  }
  /** The place behind so many characters: a node, and an offset in it. */
  function placeBehind(characters) {
    const texts = document.createTreeWalker(editable, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (characters <= text.length) return [text, characters];
      characters -= text.length;
    }
    return [editable, editable.childNodes.length];
  }
  /** The element of that name around the caret. */
  function around(tag) {
    const node = document.getSelection()?.anchorNode ?? null;
    const element = (node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement)?.closest(tag) ?? null;
    return element !== null && editable.contains(element) ? element : null;
  }
  function show() {
    const pressed = {
      bold: around("B, STRONG"), italic: around("I, EM"), heading: around("H3"), bullets: around("UL"), numbers: around("OL"), link: around("A"),
    };
    for (const one of [...buttons, link]) one.setAttribute("aria-pressed", String(pressed[one.dataset.tool] !== null));
  }
  function onKey(event) {
    if (event.altKey && event.key === "F10") focusTool(0);
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") openLink();
    else return;
    event.preventDefault();
  }
  function onBarKey(event) {
    const all = [...buttons, link], at = all.indexOf(document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) focusTool((to + all.length) % all.length);
    else if (event.key === "Escape") editable.focus();
    else return;
    event.preventDefault();
  }
  /** One tool at a time is reached by the tabulator. */
  function focusTool(number) {
    [...buttons, link].forEach((one, place) => { one.tabIndex = place === number ? 0 : -1; });
    [...buttons, link][number].focus();
  }
  function onPaste(event) {
    event.preventDefault();
    const pasted = event.clipboardData.getData("text/html");
    if (pasted === "") return document.execCommand("insertText", false, event.clipboardData.getData("text/plain"));
    const { body } = new DOMParser().parseFromString(pasted, "text/html");
    document.execCommand("insertHTML", false, cleaned(body.childNodes).innerHTML);
  }
  function openLink() {
    const selection = document.getSelection();
    const isHere = selection.rangeCount > 0 && editable.contains(selection.anchorNode);
    range = isHere ? selection.getRangeAt(0).cloneRange() : null;
    address.value = around("A")?.getAttribute("href") ?? "";
    linkForm.hidden = false;
    address.focus();
  }
  function onLinkKey(event) {
    if (event.key === "Enter" && event.target === address) setLink();
    else if (event.key === "Escape") closeLink();
    else return;
    event.preventDefault();
  }
  function closeLink() {
    linkForm.hidden = true;
    address.setAttribute("aria-invalid", "false");
    editable.focus();
    if (range === null) return;
    document.getSelection().removeAllRanges();
    document.getSelection().addRange(range);
  }
  /** An address without a scheme is one of https. */
  function setLink(typed = address.value.trim()) {
    const href = typed === "" || ADDRESS.test(typed) ? typed : `https://${typed}`;
    if (href !== "" && !URL.canParse(href)) return address.setAttribute("aria-invalid", "true");
    closeLink();
    const there = around("A");
    if (there !== null) document.getSelection().selectAllChildren(there);
    if (href === "") document.execCommand("unlink");
    else if (document.getSelection().isCollapsed) {
      const words = make("a", { href }, href);
      document.execCommand("insertHTML", false, words.outerHTML);
    } else document.execCommand("createLink", false, href);
    told();
  }
  buttons[0].tabIndex = 0;
  editable.addEventListener("focus", () => document.execCommand("defaultParagraphSeparator", false, "p"));
  ["keyup", "mouseup", "focus"].forEach((kind) => editable.addEventListener(kind, show));
  return { node: make("div", { class: "editor" }, bar, linkForm, editable), editable };
}
