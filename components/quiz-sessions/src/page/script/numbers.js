// Numbers as people write them, each in the way of the page's language.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

/** The number text that was meant, or null where it is none: `1.234,5` in German and `1,234.5` in English are 1234.5. */
function numberText(typed, language) {
  let text = typed.replace(/[\s\u00a0\u202f']/g, "").replace(/[\u2212\u2013]/g, "-");
  const [group, point] = language === "en" ? [",", "."] : [".", ","];
  const isGrouped = new RegExp(`^[+-]?\\d{1,3}(\\${group}\\d{3})+(\\${point}\\d*)?$`).test(text);
  // Outside of English a single point is the decimal one all the same, as calculators have it.
  if (isGrouped && (group === "," || text.includes(point) || text.split(group).length > 2)) text = text.replaceAll(group, "");
  if (text.split(",").length === 2 && !text.includes(".")) text = text.replace(",", ".");
  if (!NUMBER.test(text)) return null;
  return text.replace(/^\+/, "").replace(/^(-?)\./, "$10.").replace(/\.(?=e|$)/i, "").toLowerCase();
}

/** The words of a text, as people count them. */
function countWords(text) {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
