// Measures production: the page with a year of data, and the inline gate at 200 requests a second against a provider that takes 50 ms and
// against one that is gone.
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Program, binary, pause, quantile, report, stop } from "./program.mjs";

const LATENCY = 50;
const RATE = 200;
const SECONDS = 10;

const content = '{"reason": "it helps", "score": 4}';
const answer = JSON.stringify({ model: "tiny-2026-08-01", choices: [{ message: { content }, finish_reason: "stop" }], usage: { prompt_tokens: 100, completion_tokens: 10 } });
const provider = createServer((request, response) => {
  request.resume();
  request.on("end", () => setTimeout(() => response.setHeader("content-type", "application/json").end(answer), LATENCY));
});
await new Promise((ready) => provider.listen(0, "127.0.0.1", ready));

const program = new Program(3990);
process.env.TOUCHSTONE_JUDGES = join(program.folder, "judges.toml");
writeFileSync(process.env.TOUCHSTONE_JUDGES, `[endpoint.local]\nkind = "openai"\nurl = "http://127.0.0.1:${provider.address().port}/v1"\nconcurrency = 64\nattempts = 1\n`);

const criterion = (id) => `[[criterion]]\nid = "${id}"\ncomponent = "generation"\nunit = "conversation"\nscale = "five"\nquestion = "?"\n`;
const levels = [1, 2, 3, 4, 5].map((value) => `{ value = ${value}, name = "l${value}" }`).join(", ");
const rubric = join(program.folder, "rubric.toml");
writeFileSync(rubric, `name = "r"\nversion = 1\n[[scale]]\nid = "five"\nkind = "ordinal"\nrelevant_from = 4\nlevels = [${levels}]\n${["a", "b", "c"].map(criterion).join("")}`);
program.run("project", "create", "shop", "--rubric", rubric);
const written = (name, text) => {
  const path = join(program.folder, name);
  writeFileSync(path, text);
  return path;
};
const ids = Array.from({ length: 30 }, (_, at) => `c${at}`);
program.run("import", "conversations", "--project", "shop", written("c.jsonl", ids.map((id) => JSON.stringify({ id, question: "Q?", answer: { text: "A." } })).join("\n")));
program.run("import", "labels", "--project", "shop", written("l.csv", `annotator,conversation,unit,criterion,value\n${ids.map((id, at) => `ada,${id},conversation,a,${1 + (at % 5)}`).join("\n")}\n`));
program.run("anchor-set", "freeze", "--project", "shop", "gold", "--confirm", "0");
const judge = written("judge.toml", 'name = "strict"\nversion = "1"\ncriteria = ["a"]\n[instrument.model]\nendpoint = "local"\nmodel = "tiny-2026-08-01"\nprompt = "{{ question }} {{ answer }} {{ answer_format }}"\n');
program.run("judge", "add", "--project", "shop", judge);
// Beside this program and not within it, since the provider lives here.
const beside = (...args) => new Promise((done, failed) => {
  const child = spawn(binary, ["--db", program.db, ...args]);
  let out = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.once("exit", (code) => (code === 0 ? done(out) : failed(new Error(`${args.join(" ")}: ${code}`))));
});
await beside("judge", "run", "--project", "shop", "strict");
const policy = written("policy.toml", 'name = "p"\n[rules]\nminimum_n = 1\nfailure_share = 0.5\n');
const decision = JSON.parse(program.run("gate", "--project", "shop", "--candidate", "strict", "--policy", policy, "--anchor-set", "gold@1", "--split", "tune", "--json"));
program.run("promote", "--project", "shop", decision.id, "--purpose", "inline", "--reason", "bench");
spawnSync(binary, ["--db", program.db, "user", "create", "ada", "--admin"], { input: "a stone from the river" });
const token = /ts_\S+/.exec(program.run("token", "create", "t", "--user", "ada", "--scope", "score,read"))[0];

// A year at 2,000 scores a day of each of three dimensions in each of four corpora: rows and sums as the product writes them.
const fill = spawnSync("python3", ["-c", `
import json, random, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1]); db.execute("pragma synchronous = off"); random.seed(1)
project = db.execute("select id from project").fetchone()[0]
db.execute("insert into scoring_judge (project_id, fingerprint, judge, version) values (?, 'f', 'strict', '1')", (project,))
today = int(time.time() // 86400); key = 0
for dimension in "abc":
    for corpus in range(4):
        series = db.execute("insert into score_series (project_id, dimension, corpus, system, judge_id) values (?, ?, ?, 'v1', 1) returning id", (project, dimension, f"corpus {corpus}")).fetchone()[0]
        for day in range(today - 364, today + 1):
            parts = random.choices([0, 25000, 50000, 75000, 100000], [3, 5, 12, 29, 51], k=2000)
            rows = []
            for part in parts:
                key += 1
                rows.append((project, series, str(key), day, day * 86400000, 1 + part / 25000, part, int(part >= 75000), f"x{key}", 0))
            db.executemany("insert into score (project_id, series_id, client_key, day, scored_at, value, parts, passed, conversation, received_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            bins = [0] * 21
            for part in parts: bins[min(20, part // 5000)] += 1
            db.execute("insert into score_day values (?, ?, ?, ?, ?, ?, ?, ?)", (series, day, len(parts), sum(parts), sum(p * p for p in parts), sum(p >= 75000 for p in parts), len(parts), json.dumps(bins)))
db.commit()
# The product writes in small transactions, and its log never grows as long as this one.
db.execute("pragma wal_checkpoint(truncate)")
print(key)
`, program.db], { encoding: "utf8" });
if (fill.status !== 0) throw new Error(fill.stderr);
console.log(`${Number(fill.stdout).toLocaleString("en")} scores of a year`);

const { child } = await program.serve();
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const watch = [];
for (let at = 0; at < 20; at += 1) {
  const begun = performance.now();
  const got = await fetch(`${program.origin}/api/v1/watch?project=shop&days=365`, { headers });
  await got.text();
  if (got.status !== 200) throw new Error(String(got.status));
  watch.push(performance.now() - begun);
}
report("a year of production read, median (ms)", Math.round(quantile(watch, 0.5)), "< 300");

/** Times of so many requests at their rate, and how they were answered. */
async function asked(name, address, body, by) {
  const times = [];
  const answered = {};
  const waiting = [];
  for (let number = 0; number < RATE * SECONDS; number += 1) {
    waiting.push((async () => {
      await pause((number * 1000) / RATE);
      const begun = performance.now();
      const got = await fetch(address, { method: "POST", headers, body: JSON.stringify(body(`${name} ${number}`)) });
      const said = by(await got.json());
      times.push(performance.now() - begun);
      answered[said] = (answered[said] ?? 0) + 1;
    })());
  }
  await Promise.all(waiting);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), answered };
}
const inline = (name) => asked(name, `${program.origin}/api/v1/score`, (question) => ({ project: "shop", criterion: "a", question, context: ["c"], response: "r" }), (said) => said.by);
// What the same client sees of the provider itself, on the same machine at the same rate.
const alone = () => asked("alone", `http://127.0.0.1:${provider.address().port}/v1/chat/completions`, (content) => ({ messages: [{ role: "user", content }] }), () => "provider");
await inline("warm");
await alone();
const provided = await alone();
const up = await inline("up");
report(`provider of ${LATENCY} ms alone at ${RATE}/s: p50, p99 (ms)`, `${provided.p50.toFixed(1)}, ${provided.p99.toFixed(1)}`, "");
report(`inline gate before it: p50, p99 (ms)`, `${up.p50.toFixed(1)}, ${up.p99.toFixed(1)}`, "");
report("p99 of the gate / p99 of the provider", (up.p99 / provided.p99).toFixed(2), "< 1.2");
console.log(up.answered);
provider.closeAllConnections();
await new Promise((done) => provider.close(done));
const down = await inline("down");
report("inline, provider gone: p99 (ms)", down.p99.toFixed(1), "< 300");
console.log(down.answered);
await stop(child);
program.remove();
