// Two endpoints of the application, served by Express: `cargo xtask bench --compare` measures them beside it.
//
// Called with the file that describes the endpoints, a port of the loopback and the number of workers. Ends when its
// input ends.

"use strict";

const cluster = require("node:cluster");
const { readFileSync } = require("node:fs");
const { DatabaseSync } = require("node:sqlite");
const express = require("express");
const jwt = require("jsonwebtoken");

const [descriptionFile, port, workers] = process.argv.slice(2);

function verifiedClaims(request, key) {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  if (scheme !== "Bearer") return null;
  try {
    return jwt.verify(token, key, { algorithms: ["HS256"] });
  } catch (error) {
    if (error instanceof jwt.JsonWebTokenError) return null;
    throw error;
  }
}

// A number would reach SQLite as a real number, a BigInt reaches it as an integer.
function value(source, claims, path) {
  switch (source.from) {
    case "token":
      return BigInt(claims.jti);
    case "user":
      return claims.sub;
    case "path":
      return BigInt(path[source.name]);
    case "number":
      return BigInt(source.value);
    case "null":
      return null;
    default:
      return source.value;
  }
}

function holds(row) {
  return row.revoked_at === null && (row.expires_at === null || new Date(row.expires_at) > new Date());
}

function serve() {
  const { database: path, key, endpoints } = JSON.parse(readFileSync(descriptionFile, "utf8"));
  const database = new DatabaseSync(path, { readOnly: true });
  const app = express();
  // Nothing else here computes what no client asks for.
  app.set("etag", false);
  for (const endpoint of endpoints) {
    const statement = database.prepare(endpoint.sql);
    app.get(endpoint.path.replace(/\{(\w+)\}/g, ":$1"), (request, response) => {
      const claims = verifiedClaims(request, key);
      if (claims === null) return response.sendStatus(401);
      const row = statement.get(...endpoint.parameters.map((source) => value(source, claims, request.params)));
      if (row === undefined || !holds(row)) return response.sendStatus(401);
      if (row.needed === null || row.prefetched === null) return response.sendStatus(404);
      return response.type("json").send(row.prefetched);
    });
  }
  app.listen(Number(port), "127.0.0.1");
}

if (cluster.isPrimary) {
  process.stdin.on("end", () => process.exit(0)).resume();
}
if (cluster.isPrimary && Number(workers) > 1) {
  for (let worker = 0; worker < Number(workers); worker += 1) cluster.fork();
} else {
  serve();
}
