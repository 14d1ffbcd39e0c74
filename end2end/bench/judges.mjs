// Measures runs of judges: twelve prompts of the library on 200 units, three times each, against a provider that takes 20 ms. Once through,
// and once killed in the middle and gone on with.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { Program, binary, memory, pause, peakMemory, report, stop } from "./program.mjs";

const UNITS = 200;
const REPEATS = 3;
const LATENCY = 20;
const CONCURRENCY = 32;

let asked = 0;
const answer = JSON.stringify({
  model: "tiny-2026-08-01",
  choices: [{ message: { content: '{"reason": "it helps", "score": 2}' }, finish_reason: "stop" }],
  usage: { prompt_tokens: 100, completion_tokens: 10 },
});
const provider = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    asked += 1;
    setTimeout(() => {
      response.setHeader("content-type", "application/json");
      response.end(answer);
    }, LATENCY);
  });
});
await new Promise((ready) => provider.listen(0, "127.0.0.1", ready));

const program = new Program(3989);
const environment = { ...process.env, TOUCHSTONE_JUDGES: join(program.folder, "judges.toml") };
process.env.TOUCHSTONE_JUDGES = environment.TOUCHSTONE_JUDGES;
const endpoint = `[endpoint.local]\nkind = "openai"\nurl = "http://127.0.0.1:${provider.address().port}/v1"\nconcurrency = ${CONCURRENCY}\n`;
writeFileSync(environment.TOUCHSTONE_JUDGES, endpoint);

const variants = JSON.parse(program.run("judge", "library", "--json"))
  .map(({ name }) => name)
  .filter((name) => name.startsWith("relevance-") && name !== "relevance-coarse");
const conversations = Array.from({ length: UNITS }, (_, number) =>
  JSON.stringify({ id: `c${number}`, question: `May I return item ${number}?`, passages: [{ id: "p1", text: "Returns take 30 days. ".repeat(40) }], answer: { text: "Within 30 days." } }),
);
const file = join(program.folder, "conversations.jsonl");
writeFileSync(file, conversations.join("\n"));

function project(name) {
  program.run("project", "create", name, "--rubric", resolve(import.meta.dirname, "../../server/demo/rubric.toml"));
  program.run("import", "conversations", "--project", name, file);
  for (const variant of variants) program.run("judge", "add", "--project", name, "--library", variant, "--endpoint", "local", "--model", "tiny-2026-08-01");
}

const begin = (name) =>
  spawn(binary, ["--db", program.db, "judge", "run", "--project", name, ...variants, "--repeats", String(REPEATS)], { env: environment, stdio: "ignore" });
const calls = variants.length * UNITS * REPEATS;
const ideal = (calls * LATENCY) / CONCURRENCY / 1000;
const verdicts = (name) => JSON.parse(program.run("judge", "list", "--project", name, "--json")).reduce((sum, judge) => sum + judge.verdicts, 0);

project("whole");
const started = performance.now();
const child = begin("whole");
let [peak, early] = [0, 0];
const watch = setInterval(() => {
  try {
    peak = peakMemory(child.pid);
    if (asked > calls / 4 && early === 0) early = memory(child.pid);
  } catch {
    // It has ended between two looks.
  }
}, 20);
await new Promise((done) => child.once("exit", done));
clearInterval(watch);
const seconds = (performance.now() - started) / 1000;
report(`${calls} calls of ${variants.length} judges, ${CONCURRENCY} at a time`, `${seconds.toFixed(2)} s`, `< ${(1.3 * ideal).toFixed(2)} s (ideal ${ideal.toFixed(2)} s)`);
report("calls asked, verdicts kept", `${asked}, ${verdicts("whole")}`, `${calls}, ${calls}`);
report("memory after a quarter, and at most", `${early.toFixed(0)}, ${peak.toFixed(0)} MB`, "flat");

asked = 0;
project("killed");
const victim = begin("killed");
while (asked < calls / 2) await pause(1);
await stop(victim, "SIGKILL");
const kept = verdicts("killed");
const before = asked;
for (const { run, state } of JSON.parse(program.run("judge", "runs", "--project", "killed", "--json"))) {
  if (state === "running") await new Promise((done) => spawn(binary, ["--db", program.db, "judge", "resume", "--project", "killed", run], { env: environment, stdio: "ignore" }).once("exit", done));
}
report("killed after half: asked before, kept", `${before}, ${kept}`, `at most ${CONCURRENCY} and one commit apart`);
report("gone on with: verdicts in the end, calls asked in all", `${verdicts("killed")}, ${asked}`, `${calls}, ${calls} and those on their way`);

// The same calls by promptfoo, where PROMPTFOO names its program (`npm install promptfoo` somewhere): as many prompts, units, repeats, at a time.
async function promptfoo(command) {
  const config = join(program.folder, "promptfoo.json");
  const prompts = variants.map((variant) => `${variant}: how relevant is {{passage}} to {{question}}? Answer with {"reason": …, "score": 0 to 3}.`);
  const tests = Array.from({ length: UNITS }, (_, number) => ({ vars: { question: `May I return item ${number}?`, passage: "Returns take 30 days. ".repeat(40) } }));
  const chat = { id: "openai:chat:tiny-2026-08-01", config: { apiBaseUrl: `http://127.0.0.1:${provider.address().port}/v1`, apiKey: "none" } };
  writeFileSync(config, JSON.stringify({ prompts, providers: [chat], tests }));
  asked = 0;
  const started = performance.now();
  const settings = { PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1", PROMPTFOO_CONFIG_DIR: join(program.folder, "promptfoo") };
  const options = ["eval", "-c", config, "--repeat", String(REPEATS), "--max-concurrency", String(CONCURRENCY), "--no-cache", "--no-table", "--no-progress-bar", "-o", join(program.folder, "promptfoo-out.json")];
  const child = spawn(command, options, { env: { ...process.env, ...settings }, stdio: "ignore" });
  let peak = 0;
  const watch = setInterval(() => {
    try {
      peak = peakMemory(child.pid);
    } catch {
      // It has ended between two looks.
    }
  }, 50);
  await new Promise((done) => child.once("exit", done));
  clearInterval(watch);
  report("promptfoo: the same calls", `${((performance.now() - started) / 1000).toFixed(2)} s`, `${calls} calls, ${asked} asked`);
  report("promptfoo: memory at most", `${peak.toFixed(0)} MB`, "–");
}
if (process.env.PROMPTFOO) await promptfoo(process.env.PROMPTFOO);
else console.log("promptfoo is not measured: PROMPTFOO names no program");
provider.closeAllConnections();
provider.close();
program.remove();
