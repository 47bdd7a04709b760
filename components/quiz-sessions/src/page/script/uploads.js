// Files as an answer: uploaded to the student's own files, and named by their ids.
function fileUpload(item, response, change, body, { service }) {
  const { files_count, restrict_count, allowed_types, restrict_types } = item.interaction_data;
  const most = restrict_count ? Number(files_count) : null;
  const suffixes = restrict_types ? allowed_types.split(",").map((one) => one.trim().replace(/^\./, "")).filter(Boolean) : [];
  const files = new Map((response ?? []).map((id) => [id, null]));
  const id = newId("files");
  const list = make("ul", { class: "files" });
  const state = make("p", { id: `${id}-state`, role: "status" });
  const input = make("input", {
    id, type: "file", multiple: most !== 1, "aria-describedby": `${id}-help ${state.id}`,
    accept: suffixes.map((suffix) => `.${suffix}`).join(",") || null, change: () => add([...input.files]),
  });
  const help = [most === null ? null : say("files_most", { most }), suffixes.length === 0 ? null : say("files_types", { types: suffixes.join(", ") })];
  function tell() {
    show();
    change(files.size === 0 ? null : [...files.keys()]);
  }
  function show() {
    list.replaceChildren(...[...files].map(([file, name]) => {
      const words = name ?? say("file", { number: file });
      const remove = button(say("remove"), () => {
        files.delete(file);
        tell();
        announce(say("removed", { name: words }));
        input.focus();
      }, { "aria-label": say("remove_file", { name: words }) });
      return make("li", {}, make("span", {}, words), remove);
    }));
    input.disabled = most !== null && files.size >= most;
  }
  async function add(chosen) {
    for (const file of chosen) {
      const suffix = file.name.split(".").pop().toLowerCase();
      if (most !== null && files.size >= most) state.textContent = say("files_most", { most });
      else if (suffixes.length > 0 && !suffixes.some((one) => one.toLowerCase() === suffix)) {
        state.textContent = say("files_types", { types: suffixes.join(", ") });
      } else await upload(file);
    }
    input.value = "";
  }
  async function upload(file) {
    state.textContent = say("uploading", { name: file.name });
    try {
      const kept = await service.upload(file);
      files.set(kept.id, kept.display_name);
      state.textContent = say("uploaded", { name: kept.display_name });
      tell();
    } catch (error) {
      state.textContent = say("not_uploaded", { name: file.name, reason: error.status === 0 ? say("offline") : error.message });
    }
  }
  for (const file of files.keys()) {
    service.file(file).then(({ display_name }) => {
      files.set(file, display_name);
      show();
    }, () => { /* its number tells enough */ });
  }
  show();
  return make("div", {}, make("label", { for: id }, say("add_files")), make("p", { id: `${id}-help`, class: "soft" }, help.filter(Boolean).join(" ")),
    input, state, list);
}
