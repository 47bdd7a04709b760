// Calls of the service, as the one who is signed in on this page.

/** The service has answered with an error, or not at all (status 0). */
class Refusal extends Error {
  constructor(status, body) {
    super(body?.errors?.[0]?.message ?? body?.error ?? body?.message ?? `${status}`);
    Object.assign(this, { status, body });
  }

  /** True if the same may succeed later: no connection, too often, or the service has a problem. */
  get isPassing() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

class Service {
  constructor({ api, files, page, login, prefix, token, user }) {
    Object.assign(this, { api, files, page, login, prefix, token, user });
  }

  /** The answer to a call of the quiz's API. After a log-in in another tab it is made again with what that tab may do. */
  async call(method, path, body) {
    return this.request(method, `${this.api}${path}`, body);
  }

  async request(method, address, body, isAgain = false) {
    const headers = { Accept: "application/json", "X-CSRF-Token": this.token };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await this.fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    if (answer.status === 401 && !isAgain && (await this.renew())) return this.request(method, address, body, true);
    const content = await answer.json().catch(() => null);
    if (!answer.ok) throw new Refusal(answer.status, content);
    return content;
  }

  async fetch(address, options) {
    try {
      return await fetch(address, { cache: "no-store", credentials: "same-origin", redirect: "manual", ...options });
    } catch {
      throw new Refusal(0, null);
    }
  }

  /** Takes the token of a fresh page, if the same user is signed in anew. */
  async renew() {
    const answer = await this.fetch(this.page, {});
    if (!answer.ok) return false;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("setup");
    const { token, user } = fresh ? JSON.parse(fresh.textContent) : {};
    if (!token || user !== this.user) return false;
    this.token = token;
    return true;
  }

  /** Uploads a file to the files of the user: announced, sent, confirmed. */
  async upload(file) {
    const announced = { name: file.name, size: file.size, content_type: file.type || undefined, on_duplicate: "rename" };
    const { upload_url, upload_params, file_param } = await this.request("POST", this.files, announced);
    const form = new FormData();
    for (const [name, value] of Object.entries(upload_params)) form.append(name, value);
    form.append(file_param ?? "file", file);
    const sent = await this.fetch(ownAddress(upload_url), { method: "POST", body: form });
    const content = await sent.json().catch(() => null);
    if (!sent.ok) throw new Refusal(sent.status, content);
    return this.request("GET", ownAddress(sent.headers.get("Location")));
  }

  /** The bytes of a file of a course. */
  async bytes(path) {
    const answer = await this.fetch(`${this.prefix}${path}`, { headers: { "X-CSRF-Token": this.token } });
    if (!answer.ok) throw new Refusal(answer.status, null);
    return answer.blob();
  }

  async file(id) {
    return this.request("GET", `${this.files}/${id}`);
  }
}

/** The same address on the host by which this page is known: the service may call itself by another name. */
function ownAddress(address) {
  const { pathname, search } = new URL(address, location.href);
  return `${pathname}${search}`;
}
