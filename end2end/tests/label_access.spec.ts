// The label page for those who see it otherwise or not at all: the tree of a screen reader, large type, no mouse, no motion, no program.
import { member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, scripted, test } from "../fixtures/test";

const RUBRIC = `
name = "access"
version = 1
[[scale]]
id = "three"
kind = "ordinal"
levels = [{ value = 0, name = "no", means = "other target" }, { value = 1, name = "partly" }, { value = 2, name = "yes" }]
[[criterion]]
id = "relevance"
component = "retrieval"
unit = "passage"
scale = "three"
question = "Is it relevant?"
required = true
[[criterion]]
id = "helpful"
component = "generation"
unit = "conversation"
scale = "three"
question = "Is it helpful?"
required = true
`;

const CONVERSATION = JSON.stringify({
  id: "c1",
  question: "Can I return a worn coat?",
  passages: [{ id: "p1", document: "returns.md", text: "Worn goods cannot be returned." }],
  answer: { text: "No.", paragraphs: [{ id: "a1", text: "No.", citations: ["p1"] }] },
});

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

/** The label page of a new annotator of a new project. */
async function labelPage({ browser, open }: { browser: Parameters<typeof member>[0]; open: Function }, options: object = {}) {
  const project = server.project("access", RUBRIC, CONVERSATION);
  const annotator = await member(browser, server, project, "annotator", `ada-${project}`);
  const context = await browser.newContext({ ...options, javaScriptEnabled: scripted(), storageState: await annotator.storageState() });
  const page = await open(context);
  await page.goto(`${server.origin}/p/${project}/label`);
  return page;
}

test("a screen reader is told what is asked, of what, and what can be answered", async ({ browser, open }) => {
  const page = await labelPage({ browser, open });
  await expect(page.locator("main")).toMatchAriaSnapshot(`
    - main:
      - heading "Label" [level=1]
      - region "Question":
        - paragraph: Can I return a worn coat?
      - region "Passages":
        - heading "Passages" [level=2]
        - article:
          - paragraph: Worn goods cannot be returned.
      - region "Answer":
        - heading /^Answer/ [level=2]
        - paragraph:
          - link "cites passage 1"
  `);
  if (scripted()) {
    await expect(page.getByRole("complementary", { name: "Questions" })).toMatchAriaSnapshot(`
      - heading "Is it relevant?" [level=2]
      - group "Is it relevant?":
        - button /0 no other target/
        - button /1 partly/
        - button /2 yes/
      - button /Submit and next/
    `);
  } else {
    await expect(page.locator("form.plain-form")).toMatchAriaSnapshot(`
      - 'group "Passage 1: Is it relevant?"':
        - radio /no/
        - radio /partly/
        - radio /yes/
      - 'group "The whole conversation: Is it helpful?"'
      - button "Save all and submit"
    `);
  }
});

test("twice the size fits, and can be answered without a mouse", async ({ browser, open }) => {
  // What 200 % does to a window of 1280 × 800.
  const page = await labelPage({ browser, open }, { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  await fits(page, "label at 200 %");
  if (scripted()) await accessible(page, "label at 200 %");
  const reach = async (locator: ReturnType<typeof page.locator>) => {
    for (let steps = 0; steps < 60; steps++) {
      await page.keyboard.press("Tab");
      if (await locator.evaluateAll((found: Element[]) => found.some((element) => element === document.activeElement))) return;
    }
    throw new Error("the keyboard does not get there");
  };
  if (scripted()) {
    for (const question of ["Is it relevant?", "Is it helpful?"]) {
      await expect(page.locator(".question")).toHaveText(question);
      await reach(page.locator(".key").last());
      await page.keyboard.press("Space");
    }
    await reach(page.getByRole("button", { name: /^Submit and next/ }));
  } else {
    for (const group of ["Passage 1: Is it relevant?", "The whole conversation: Is it helpful?"]) {
      await reach(page.getByRole("group", { name: group }).getByRole("radio"));
      await page.keyboard.press("ArrowDown");
    }
    await reach(page.getByRole("button", { name: "Save all and submit" }));
  }
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Nothing is left for you" })).toBeVisible();
});

test("nothing moves where motion is not wanted", async ({ browser, open }) => {
  const page = await labelPage({ browser, open }, { reducedMotion: "reduce" });
  const moving = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("*")]
        .filter((element) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element);
          return [transitionDuration, animationDuration].some((durations) => durations.split(",").some((one) => parseFloat(one) > 0.01));
        })
        .map((element) => `${element.tagName}.${element.className}`),
    );
  expect(await moving()).toEqual([]);
  if (scripted()) {
    await page.keyboard.press("1");
    expect(await page.evaluate(() => document.getAnimations().filter((one) => one.playState === "running").length)).toBe(0);
  }
});
