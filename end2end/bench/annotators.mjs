// Fifty annotators at once over HTTP, with a power cut in the middle: what was acknowledged must be there once, and no conversation may
// have more annotators than the project wants. Prints saves a second beside the disk's own fsyncs a second; ends with 1 if anything is lost.
import { spawnSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Program, binary, median, pause, peakMemory, quantile, report, stop } from "./program.mjs";

const [PEOPLE, OVERLAP, CONVERSATIONS] = [50, 3, 4_000];
const SECONDS = Number(process.env.SECONDS ?? 60);
const program = new Program(3986);

/** How often a second the disk takes a page and says that it has it. */
function fsyncs() {
  const file = openSync(join(program.folder, "fsync"), "w");
  const page = Buffer.alloc(4096, 1);
  const [begun, seconds] = [performance.now(), 2];
  let count = 0;
  for (; performance.now() - begun < seconds * 1000; count++) {
    writeSync(file, page);
    fsyncSync(file);
  }
  closeSync(file);
  return count / seconds;
}

async function call(cookie, name, body, form = false) {
  const answer = await fetch(`${program.origin}/rpc/${name}`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: program.origin, accept: "application/json", cookie, "content-type": form ? "application/x-www-form-urlencoded" : "application/json" },
    body: form ? new URLSearchParams(body) : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw Object.assign(new Error(`${name}: ${answer.status} ${text}`), { status: answer.status });
  return { json: JSON.parse(text || "null"), cookie: answer.headers.getSetCookie()[0]?.split(";")[0] };
}

/** Makes a project, and its annotators with a session each. */
async function prepared() {
  const criteria = ["a", "b", "c", "d"].map((id) => `[[criterion]]\nid = "${id}"\ncomponent = "generation"\nunit = "conversation"\nscale = "five"\nquestion = "How ${id}?"\nrequired = true\n`);
  const levels = [1, 2, 3, 4, 5].map((value) => `{ value = ${value}, name = "${value}" }`).join(", ");
  writeFileSync(join(program.folder, "rubric.toml"), `name = "r"\nversion = 1\n[[scale]]\nid = "five"\nkind = "ordinal"\nlevels = [${levels}]\n${criteria.join("")}`);
  const rows = Array.from({ length: CONVERSATIONS }, (_, i) => JSON.stringify({ id: `c${i}`, question: `Question ${i}?`, answer: { text: `Answer ${i}.` } }));
  writeFileSync(join(program.folder, "conversations.jsonl"), rows.join("\n"));
  program.run("project", "create", "bench", "--rubric", join(program.folder, "rubric.toml"));
  program.run("import", "conversations", "--project", "bench", join(program.folder, "conversations.jsonl"));
  const links = Array.from({ length: PEOPLE }, () => program.run("user", "invite", "--project", "bench", "--role", "annotator", "--public-origin", program.origin).trim());
  const { child: server } = await program.serve();
  const cookies = [];
  for (const [index, link] of links.entries()) {
    const token = link.split("/").at(-1);
    const { cookie } = await call("", "accept_invitation", { token, name: `annotator ${index}`, password: "a stone from the river" }, true);
    cookies.push(cookie);
  }
  sql(`update project set overlap = ${OVERLAP}`);
  return { server, cookies };
}

/** What the database file says, read by another program than the one that wrote it. */
function sql(statement) {
  const script = "import json, sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as db: print(json.dumps(db.execute(sys.argv[2]).fetchall()))";
  const done = spawnSync("python3", ["-c", script, program.db, statement], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(done.stderr);
  return JSON.parse(done.stdout);
}

const acknowledged = new Map();
const waits = [];
let ends = Infinity;

/** One annotator: answers, submits, and sends again what was lost, as the page does. */
async function labels(cookie, person) {
  const surely = async (name, body) => {
    for (;;) {
      try {
        return (await call(cookie, name, body)).json;
      } catch (error) {
        if (error.status !== undefined && error.status < 500) throw error;
        await pause(50);
      }
    }
  };
  while (performance.now() < ends) {
    const desk = JSON.parse(await surely("load_desk", { project: "bench" }));
    if (desk.task === null) return;
    const { conversation, answers } = desk.task;
    for (const criterion of ["a", "b", "c", "d"]) {
      const key = `${person}-${conversation}-${criterion}`;
      const supersedes = answers.find((answer) => answer.criterion === criterion)?.label ?? null;
      const answer = { conversation, unit: "conversation", criterion, value: 1 + (person % 5), comment: null, flag: false, seconds: 1, rubric_version: 1, supersedes, client_key: key };
      const begun = performance.now();
      const outcome = await surely("save_answer", { project: "bench", user: desk.user, answer });
      waits.push(performance.now() - begun);
      if (outcome.saved === undefined) throw new Error(`${key}: ${JSON.stringify(outcome)}`);
      acknowledged.set(key, outcome.saved.label);
    }
    await surely("submit_conversation", { project: "bench", user: desk.user, conversation });
  }
}

try {
  const before = fsyncs();
  let { server, cookies } = await prepared();
  const second = spawnSync(binary, ["--db", program.db, "serve", "--listen", "127.0.0.1:0"], { encoding: "utf8", timeout: 10_000 });
  report("a second server on the same file", second.status === 3 ? "refused" : "NOT REFUSED", "refused");
  const begun = performance.now();
  ends = begun + SECONDS * 1000;
  const all = Promise.all(cookies.map(labels));
  await pause(SECONDS * 500);
  const memory = peakMemory(server.pid);
  await stop(server, "SIGKILL");
  ({ child: server } = await program.serve());
  await all;
  const seconds = (performance.now() - begun) / 1000;
  const [after, disk] = [peakMemory(server.pid), (before + fsyncs()) / 2];
  await stop(server);

  const found = new Map(sql("select client_key, count(*) from label group by client_key").map(([key, count]) => [key, count]));
  const lost = [...acknowledged.keys()].filter((key) => !found.has(key)).length;
  const twice = [...found.values()].filter((count) => count > 1).length;
  const many = sql(`select count(*) from (select 1 from assignment where state in ('open', 'submitted') group by conversation_id having count(*) > ${OVERLAP})`)[0][0];
  const rate = acknowledged.size / seconds;
  report("fsyncs of the disk a second", disk.toFixed(0), "–");
  report(`saves a second of ${PEOPLE} annotators for ${SECONDS} s`, `${rate.toFixed(0)} (${(rate / disk).toFixed(1)} x)`, "8 x the fsyncs");
  report("a save takes, median", `${median(waits).toFixed(1)} ms`, "–");
  report("a save takes, p99", `${quantile(waits, 0.99).toFixed(1)} ms`, `< ${(8000 / disk).toFixed(1)} ms, 8 fsyncs`);
  report("peak memory of the server, before and after the cut", `${memory.toFixed(0)}, ${after.toFixed(0)} MB`, "< 80 MB");
  report("acknowledged saves that are not there", lost, "0");
  report("saves that are there twice", twice, "0");
  report(`conversations with more than ${OVERLAP} annotators`, many, "0");
  if (lost + twice + many > 0 || second.status !== 3) process.exitCode = 1;
} finally {
  program.remove();
}
