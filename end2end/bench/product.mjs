// Measures the release binary as its users meet it, and prints what was found beside the goal. Nothing is asserted.
import { chromium } from "@playwright/test";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { Program, binary, median, memory, peakMemory, report, stop } from "./program.mjs";

const program = new Program(3987);
const password = "a stone from the river";

const sentence = "After a return is received, the refund is issued to the original means of payment within five working days. ";
function conversations(count) {
  const lines = [];
  for (let i = 0; i < count; i++) {
    const passages = Array.from({ length: 5 }, (_, p) => ({ id: `p${p + 1}`, document: `d${p}.md`, rank: p + 1, text: `${i}.${p} ${sentence.repeat(5)}` }));
    lines.push(JSON.stringify({ id: `c${i}`, cluster: `k${i % 997}`, category: "policy", corpus: "shop", language: "en", question: `Question ${i}?`, passages, answer: { text: sentence.repeat(3) } }));
  }
  return lines;
}

async function imported() {
  const file = join(program.folder, "conversations.jsonl");
  const lines = conversations(10_000);
  writeFileSync(file, lines.join("\n"));
  program.run("project", "create", "bench");
  const started = performance.now();
  const child = spawn(binary, ["--db", program.db, "import", "conversations", "--project", "bench", file], { stdio: "ignore" });
  let peak = 0;
  const watch = setInterval(() => {
    try {
      peak = Math.max(peak, peakMemory(child.pid));
    } catch {
      // It has ended between two looks.
    }
  }, 5);
  await new Promise((done) => child.once("exit", done));
  clearInterval(watch);
  const kilobytes = lines.reduce((sum, line) => sum + line.length, 0) / lines.length / 1000;
  report(`import of 10,000 conversations of ${kilobytes.toFixed(1)} kB`, `${((performance.now() - started) / 1000).toFixed(2)} s`, "< 1 s");
  report("peak memory of that import", `${peak.toFixed(0)} MB`, "< 80 MB");
}

// A project of real size. Its labels come last, and their import reads everything once, so that the page need not.
async function diagnosed() {
  const conversations = join(program.folder, "many.jsonl");
  const labels = join(program.folder, "many.csv");
  const [texts, values] = [openSync(conversations, "w"), openSync(labels, "w")];
  writeSync(values, "annotator,conversation,unit,criterion,value\n");
  for (let i = 0; i < 100_000; i++) {
    const passages = Array.from({ length: 10 }, (_, p) => ({ id: `p${p}`, document: `d${(i * 7 + p) % 500}.md`, rank: p + 1, text: `${i}.${p} ${sentence}` }));
    const answer = { text: sentence, paragraphs: [{ id: "a1", text: sentence, citations: ["p0"] }] };
    writeSync(texts, `${JSON.stringify({ id: `c${i}`, category: "policy", corpus: `corpus ${i % 4}`, question: `Question ${i}?`, passages, answer })}\n`);
    const said = passages.map(({ id }, p) => `ada,c${i},passage:${id},passage-relevance,${(i * 31 + p * 17) % 4}\n`);
    writeSync(values, `${said.join("")}ada,c${i},conversation,helpfulness,${1 + ((i * 13) % 5)}\n`);
  }
  closeSync(texts);
  closeSync(values);
  program.run("project", "create", "many", "--rubric", resolve(import.meta.dirname, "../../server/demo/rubric.toml"));
  for (const [kind, file, what] of [["conversations", conversations, "100,000 conversations of 10 passages"], ["labels", labels, "1,100,000 labels and the diagnosis after them"]]) {
    const started = performance.now();
    program.run("import", kind, "--project", "many", file);
    report(`import of ${what}`, `${((performance.now() - started) / 1000).toFixed(1)} s`, "–");
  }
  const { child } = await program.serve();
  const cookie = await signedIn();
  const times = [];
  for (let run = 0; run < 5; run++) {
    const started = performance.now();
    const answer = await fetch(`${program.origin}/p/many/diagnose`, { headers: { cookie } });
    const text = await answer.text();
    if (answer.status !== 200 || !text.includes("100,000")) throw new Error(`the diagnosis answers ${answer.status}`);
    times.push((performance.now() - started) / 1000);
  }
  report("diagnosis of these, first view after the start", `${times[0].toFixed(2)} s`, "< 1 s");
  report("diagnosis of these, later views", `${median(times.slice(1)).toFixed(2)} s`, "–");
  report("peak memory of the server after it", `${peakMemory(child.pid).toFixed(0)} MB`, "flat");
  await stop(child);
}

// Seventeen judges on 4,423 passages of 25 questions: one forest plot, with every other figure of the page.
async function compared() {
  const folder = program.folder;
  const rubric = join(folder, "fine.toml");
  const levels = [0, 1, 2, 3].map((value) => `{ value = ${value}, name = "${value}" }`).join(", ");
  writeFileSync(
    rubric,
    `name = "fine"\nversion = 1\n[[scale]]\nid = "fine"\nkind = "ordinal"\nrelevant_from = 2\nlevels = [${levels}]\n` +
      '[[criterion]]\nid = "relevance"\ncomponent = "retrieval"\nunit = "passage"\nscale = "fine"\nquestion = "Is it relevant?"\n',
  );
  const texts = [];
  const labels = ["annotator,conversation,unit,criterion,value"];
  const verdicts = ["judge,conversation,unit,criterion,value"];
  let seed = 7;
  const lot = (most) => (seed = (seed * 48271) % 2147483647) % most;
  for (let question = 0; question < 25; question++) {
    const count = 177 - (question < 2 ? 1 : 0);
    const passages = Array.from({ length: count }, (_, p) => ({ id: `p${p}`, text: `${question}.${p} ${sentence}` }));
    texts.push(JSON.stringify({ id: `q${question}`, cluster: `q${question}`, question: `Question ${question}?`, passages, answer: { text: "none" } }));
    for (const { id } of passages) {
      const level = lot(4);
      for (const person of ["ada", "ben"]) labels.push(`${person},q${question},passage:${id},relevance,${lot(5) === 0 ? lot(4) : level}`);
      for (let judge = 0; judge < 17; judge++) verdicts.push(`judge-${judge},q${question},passage:${id},relevance,${lot(20) < judge + 3 ? lot(4) : level}`);
    }
  }
  program.run("project", "create", "judges", "--rubric", rubric);
  for (const [kind, file, lines] of [["conversations", "judged.jsonl", texts], ["labels", "judged.csv", labels], ["verdicts", "verdicts.csv", verdicts]]) {
    writeFileSync(join(folder, file), lines.join("\n"));
    program.run("import", kind, "--project", "judges", join(folder, file));
  }
  const { child } = await program.serve();
  const cookie = await signedIn();
  const times = [];
  for (let run = 0; run < 4; run++) {
    const started = performance.now();
    const answer = await fetch(`${program.origin}/p/judges/compare?incumbent=judge-3`, { headers: { cookie } });
    const text = await answer.text();
    if (answer.status !== 200 || !text.includes("judge-16")) throw new Error(`the comparison answers ${answer.status}`);
    times.push((performance.now() - started) / 1000);
  }
  report("17 judges on 4,423 items of 25 questions, first view", `${times[0].toFixed(2)} s`, "< 1 s");
  report("17 judges on 4,423 items of 25 questions, later views", `${median(times.slice(1)).toFixed(2)} s`, "< 0.3 s");
  await stop(child);
}

// A session of the admin.
async function signedIn() {
  const answer = await fetch(`${program.origin}/rpc/sign_in`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: program.origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ account: "bench", password }),
  });
  const cookie = answer.headers.getSetCookie()[0];
  if (cookie === undefined) throw new Error(`signing in answers ${answer.status}`);
  return cookie.split(";")[0];
}

// Milliseconds from each key press until the frame in which another question, unit or conversation is on the screen.
async function pressed(browser, state) {
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  await page.goto(`${program.origin}/p/demo/label`);
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === "true");
  await page.evaluate(() => {
    const here = () => {
      const focused = document.activeElement?.id ?? "";
      const marked = [...document.querySelectorAll(".here")].map((element) => element.id).join(" ");
      return [document.querySelector("#asked")?.textContent, document.querySelector("#question")?.textContent, marked, focused].join("|");
    };
    globalThis.presses = [];
    addEventListener(
      "keydown",
      (event) => {
        const before = here();
        const look = () => {
          // What is changed before a frame is seen after it.
          if (here() !== before) setTimeout(() => globalThis.presses.push(performance.now() - event.timeStamp));
          else if (performance.now() - event.timeStamp < 1_000) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      true,
    );
  });
  for (let press = 0; press < 120; press++) {
    const answered = await page.getByText("Everything is answered").count();
    await page.keyboard.press(answered > 0 ? "Enter" : "1");
    await page.waitForTimeout(60);
  }
  await page.waitForTimeout(1_000);
  const presses = await page.evaluate(() => globalThis.presses);
  await context.close();
  return presses;
}

async function labelPage() {
  const { child } = await program.serve();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${program.origin}/sign-in`);
  await page.getByLabel("Name").fill("bench");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => !url.pathname.includes("sign-in"));
  const state = await context.storageState();
  const bytes = [];
  const ready = [];
  for (let run = 0; run < 7; run++) {
    const fresh = await browser.newContext({ storageState: state });
    const first = await fresh.newPage();
    const network = await fresh.newCDPSession(first);
    let received = 0;
    await network.send("Network.enable");
    network.on("Network.loadingFinished", (event) => (received += event.encodedDataLength));
    const started = performance.now();
    await first.goto(`${program.origin}/p/demo/label`, { waitUntil: "commit" });
    await first.waitForFunction(() => document.documentElement.dataset.hydrated === "true", null, { polling: 5 });
    ready.push((performance.now() - started) / 1000);
    await first.waitForLoadState("networkidle");
    bytes.push(received / 1000);
    await fresh.close();
  }
  report("bytes of the first label page, compressed", `${median(bytes).toFixed(0)} kB`, "< 400 kB");
  report("until its keys work in Chromium, nothing cached", `${median(ready).toFixed(2)} s`, "< 1 s");
  const presses = await pressed(browser, state);
  report(`from key press to next unit on screen, median of ${presses.length}`, `${median(presses).toFixed(0)} ms`, "< 50 ms");
  report("the slowest of them", `${Math.max(...presses).toFixed(0)} ms`, "–");
  report("memory of the server after it", `${memory(child.pid).toFixed(0)} MB`, "< 80 MB");
  await browser.close();
  await stop(child);
}

try {
  const starts = [];
  for (let run = 0; run < 5; run++) {
    const { child, seconds } = await program.serve();
    starts.push(seconds);
    await stop(child);
  }
  report("start to the first 200", `${median(starts).toFixed(3)} s`, "< 0.3 s");
  await imported();
  program.run("demo");
  spawnSync(binary, ["--db", program.db, "user", "create", "bench", "--admin"], { input: password });
  await labelPage();
  await compared();
  await diagnosed();
} finally {
  program.remove();
}
