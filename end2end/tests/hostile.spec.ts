// Text that means harm, on the pages that show it: it is text, and nothing of it runs.
import type { BrowserContext, Page } from "@playwright/test";
import { member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { expect, fits, scripted, test } from "../fixtures/test";

const RUN = "window.harmed = true; document.title = 'harmed'";
const SCRIPT = `<script>${RUN}</script><img src="x" onerror="${RUN}">`;
const TEXTAREA = `</textarea></form><script>${RUN}</script>`;
const TEXTS: Record<string, string> = {
  script: SCRIPT,
  textarea: TEXTAREA,
  markup: `<b onmouseover="${RUN}">bold</b> <a href="javascript:${RUN}">link</a> <style>*{display:none}</style>`,
  bidi: "safe\u202egnp.exe\u202c \u2066isolated\u2069 zero\u200bwidth \ufeffmark",
  controls: "nul\u0000bell\u0007escape\u001b[31mred",
  template: "{{constructor.constructor('harmed=1')()}} ${harmed=1} %00",
  "id'\"<&>/?#%": "the id is odd",
};

const RUBRIC = `
name = "hostile"
version = 1
[[scale]]
id = "s"
kind = "ordinal"
levels = [{ value = 1, name = "<script>level</script>", means = '''${SCRIPT}''' }, { value = 2, name = "two" }]
[[criterion]]
id = "helpful"
component = "generation"
unit = "conversation"
scale = "s"
question = '''Helpful? ${SCRIPT}'''
guideline = '''${TEXTAREA}'''
required = true
`;

const ANNOTATORS = ["<script>one</script>", "two\u200b\"'><img>"];
const JUDGE = `judge <img src=x onerror="${RUN}">`;
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

let server: Server;
let engineer: BrowserContext;
test.beforeAll(async ({ browser }) => {
  server = await Server.start();
  const rows = Object.entries(TEXTS).map(([id, text]) => ({
    id,
    question: text,
    category: text.slice(0, 40),
    messages: [{ role: "assistant", content: text }],
    refined_query: text,
    routing: { agent: text, collections: [text], tool_calls: [{ name: text, arguments: { [text]: text }, result: text, error: null }, { name: "f", error: text }] },
    passages: [{ id: "p1", document: text, collection: text, text }],
    context: text,
    answer: { text, paragraphs: [{ id: "a1", text, citations: ["p1", text] }] },
    expected: { answer: text, behaviour: text, source: text },
    metadata: { [text]: text },
  }));
  const labels = ["annotator,conversation,criterion,value,comment"];
  const verdicts = ["judge,conversation,criterion,value,error,reason,raw"];
  for (const [index, id] of Object.keys(TEXTS).entries()) {
    for (const annotator of ANNOTATORS) labels.push([annotator, id, "helpful", 1 + (index % 2), SCRIPT].map((cell) => quoted(String(cell))).join(","));
    verdicts.push([JUDGE, id, "helpful", index === 0 ? "" : 2, index === 0 ? SCRIPT : "", SCRIPT, `{"score": "${SCRIPT}"}`].map((cell) => quoted(String(cell))).join(","));
  }
  server.done("project", "create", "hostile", "--rubric", server.file("rubric.toml", RUBRIC), "--order-seed", "import");
  const files = { conversations: server.file("c.jsonl", rows.map((row) => JSON.stringify(row)).join("\n")), labels: server.file("l.csv", labels.join("\n")), verdicts: server.file("v.csv", verdicts.join("\n")) };
  for (const [kind, file] of Object.entries(files)) server.done("import", kind, "--project", "hostile", file);
  engineer = await member(browser, server, "hostile", "lead", "Eve");
});
test.afterAll(async () => {
  await server.stop();
});

/** A page in the session of the engineer, with or without a program as this run has it. */
async function page(open: (context: BrowserContext) => Promise<Page>, browser: import("@playwright/test").Browser): Promise<Page> {
  const context = await browser.newContext({ baseURL: server.origin, storageState: await engineer.storageState() });
  return open(context);
}

/** Nothing of the text has run or become markup. */
async function isHarmless(page: Page, where: string): Promise<void> {
  await expect(page, where).not.toHaveTitle("harmed");
  expect(await page.locator("main img, main b[onmouseover], main style, main a[href^='javascript:']").count(), where).toBe(0);
  const inside = await page.locator("main script:not([nonce])").count();
  expect(inside, where).toBe(0);
}

test("a conversation is shown as the text that it is", async ({ browser, open }) => {
  const reader = await page(open, browser);
  for (const [id, text] of Object.entries(TEXTS)) {
    await reader.goto(`/p/hostile/conversation/${encodeURIComponent(id)}`);
    await isHarmless(reader, id);
    await fits(reader, id);
    const visible = text.split(/[\u0000-\u001f\u200b\u202c\u202e\u2066\u2069\ufeff]/).filter((part) => part !== "");
    for (const part of visible) await expect(reader.locator("main"), id).toContainText(part);
    expect(await reader.locator("main").innerText(), id).not.toMatch(/[\u0000\u0007\u001b\u200b\u202e\u2066\ufeff]/);
  }
  await reader.goto("/p/hostile/conversation/bidi");
  await expect(reader.locator("main")).toContainText("safe⟨U+202E⟩gnp.exe");
  await reader.goto("/p/hostile/conversation/controls");
  await expect(reader.locator("main")).toContainText("nul⟨U+0000⟩bell⟨U+0007⟩");
});

test("names of people and judges, remarks and raw answers are text everywhere", async ({ browser, open }) => {
  const reader = await page(open, browser);
  const pair = `criterion=helpful&a=${encodeURIComponent(ANNOTATORS[0]!)}&b=${encodeURIComponent(ANNOTATORS[1]!)}`;
  for (const [address, shows] of [
    ["/p/hostile/agreement?by=category", "<script>one</script>"],
    [`/p/hostile/agreement/pair?${pair}`, "two⟨U+200B⟩"],
    ["/p/hostile/compare", "onerror="],
    [`/p/hostile/compare/failures?judge=${encodeURIComponent(JUDGE)}`, "<script>"],
    ["/p/hostile/gate", "onerror="],
    ["/p/hostile/label", "<script>"],
  ] as const) {
    await reader.goto(address);
    await expect(reader.locator("main"), address).toContainText(shows);
    await isHarmless(reader, address);
  }
});

test.describe("addresses", () => {
  // What is refused is said in the console as well.
  test.use({ expected: [/status of 4(04|22)/] });

  test("an address that means harm is shown as text", async ({ browser, open }) => {
    const reader = await page(open, browser);
    for (const address of [`/p/${encodeURIComponent(SCRIPT)}`, `/p/hostile/conversation/${encodeURIComponent(SCRIPT)}`, `/p/hostile/agreement?by=${encodeURIComponent(SCRIPT)}`, `/nowhere/${encodeURIComponent(SCRIPT)}`, `/sign-in?next=${encodeURIComponent(`"><script>${RUN}</script>`)}`, `/sign-in?__path=%2Frpc%2Fsign_in&__err=${encodeURIComponent(SCRIPT)}`]) {
      await reader.goto(address);
      await isHarmless(reader, address);
    }
  });
});

test("as many passages and as much text as an import takes can be read", async ({ browser, open }) => {
  const project = `large-${test.info().workerIndex}-${scripted()}`;
  server.done("project", "create", project, "--rubric", server.file("rubric.toml", RUBRIC), "--order-seed", "import");
  const passages = [...Array(2000).keys()].map((index) => ({ id: `p${index}`, text: `Passage ${index}.` }));
  const rows = [
    { id: "many", question: "q", passages, answer: { text: "a" } },
    { id: "long", question: "q", answer: { text: `${"word ".repeat(700_000)}end.` } },
    { id: "wide", question: "q".repeat(20_000), answer: { text: "x".repeat(20_000) } },
  ];
  server.done("import", "conversations", "--project", project, server.file("large.jsonl", rows.map((row) => JSON.stringify(row)).join("\n")));
  const context = await member(browser, server, project, "lead", `reader-${project}`);
  const state = await context.storageState();
  const reader = await open(await browser.newContext({ baseURL: server.origin, storageState: state }));
  for (const [id, shows] of [["many", "Passage 1999."], ["long", "end."], ["wide", "xxx"]] as const) {
    await reader.goto(`/p/${project}/conversation/${id}`);
    await expect(reader.locator("main"), id).toContainText(shows);
    await reader.setViewportSize({ width: 390, height: 800 });
    await fits(reader, id);
  }
  await reader.goto(`/p/${project}/label`);
  await expect(reader.locator("main")).toContainText("Passage 1999.");
});

test.describe("the policy of the page", () => {
  // The picture that is named in the markup is not there.
  test.use({ expected: [/Content Security Policy|status of 404/] });

  test("keeps markup from running that found its way in", async ({ browser, open }) => {
    test.skip(!scripted(), "nothing runs without JavaScript");
    const reader = await page(open, browser);
    await reader.goto("/p/hostile/compare");
    await reader.evaluate((markup) => document.querySelector("main")?.insertAdjacentHTML("beforeend", markup), SCRIPT);
    await reader.waitForTimeout(200);
    expect(await reader.evaluate(() => "harmed" in window)).toBe(false);
    await expect(reader).not.toHaveTitle("harmed");
  });
});
