// Production: scores come in by the API, and the page tells what fell and who moved; settings are saved, with and without JavaScript.
// With SHOTS=folder a picture of the page is kept there.
import type { BrowserContext } from "@playwright/test";
import { signUp } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, scripted, test } from "../fixtures/test";

const RUBRIC = `name = "shop"
version = 1
[[scale]]
id = "share"
kind = "continuous"
min = 0
max = 1
[[criterion]]
id = "faithfulness"
component = "generation"
unit = "conversation"
scale = "share"
question = "Do the passages support it?"
[[criterion]]
id = "completeness"
component = "generation"
unit = "conversation"
scale = "share"
question = "Is it whole?"
`;

const DAY = 24 * 3600 * 1000;

test.describe.configure({ mode: "serial" });
test.setTimeout(90_000);

let server: Server;
let admin: BrowserContext;
let project = "";
test.beforeAll(async ({ browser }) => {
  server = await Server.start();
  admin = await browser.newContext({ baseURL: server.origin });
  await signUp(admin, server.adminLink, "admin");
  project = server.project("watch", RUBRIC, '{"id": "c1", "question": "Q?", "answer": {"text": "A."}}');
  const made = server.done("token", "create", "feed", "--user", "admin", "--scope", "score,read");
  const token = /ts_\S+/.exec(made.out)?.[0] ?? "";
  for (let ago = 60; ago >= 0; ago -= 1) await send(token, ago);
});
test.afterAll(async () => {
  await admin?.close();
  await server?.stop();
});

/** One day of scores: faithfulness in the corpus `cloud` is lower by 0.12 in the last six days, and another model answers in the last twenty. */
async function send(token: string, ago: number): Promise<void> {
  const scores = [];
  for (const dimension of ["faithfulness", "completeness"]) {
    for (const corpus of ["cloud", "govt"]) {
      for (let number = 0; number < 60; number += 1) {
        const fell = dimension === "faithfulness" && corpus === "cloud" && ago < 6 ? 0.12 : 0;
        scores.push({
          key: `${ago} ${dimension} ${corpus} ${number}`,
          dimension,
          corpus,
          score: 0.8 - fell + 0.18 * Math.sin(number * 1.7 + ago),
          judge: "strict@1",
          reported_model: ago < 20 ? "model-2026-09-01" : "model-2026-03-01",
          time: new Date(Date.now() - ago * DAY).toISOString(),
          conversation: `call-${ago}-${number}`,
          text: "<b>I cannot say.</b>",
        });
      }
    }
  }
  const answer = await fetch(`${server.origin}/api/v1/scores`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ project, scores }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
}

test("the page tells its story", async ({ open }) => {
  const page = await open(admin);
  await page.goto(`/p/${project}/watch`);
  const story = page.getByRole("region", { name: "Something has fallen." });
  await expect(story).toContainText(/faithfulness in corpus cloud fell by 0\.\d\d \[/i);
  await expect(story).toContainText("was never calibrated");
  await expect(story).not.toContainText("completeness");
  const faithfulness = page.getByRole("region", { name: "faithfulness", exact: true });
  await expect(faithfulness.getByRole("img", { name: "Rolling mean of faithfulness" })).toBeVisible();
  await expect(faithfulness).toContainText("strict@1 (model-2026-09-01) begins to score");
  await expect(faithfulness).toContainText("No corrected pass rate");
  await expect(page.getByRole("region", { name: "Lowest scores" })).toContainText("<b>I cannot say.</b>");
  await fits(page, "watch");
  if (scripted()) await accessible(page, "watch");
  if (process.env.SHOTS !== undefined) {
    for (const [name, width, scheme] of [["1440-light", 1440, "light"], ["1440-dark", 1440, "dark"], ["390-light", 390, "light"]] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `${process.env.SHOTS}/watch-${name}.png`, fullPage: true });
    }
  }
});

test.describe("a form", () => {
  test.use({ expected: [/422/] });
  test("what is told is settled by it, and what cannot stand is named", async ({ open }) => {
    const page = await open(admin);
    await page.goto(`/p/${project}/watch`);
    await page.getByLabel("Dimension").selectOption("faithfulness");
    await page.getByLabel("Tell a fall of more than").fill("0.5");
    await page.getByRole("button", { name: "Save the dimension" }).click();
    await expect(page.getByRole("region", { name: "Nothing has fallen beyond noise this week." })).toBeVisible();
    await page.getByLabel("The tail is below").fill("0.33");
    await page.getByRole("button", { name: "Save the dimension" }).click();
    await expect(page.getByRole("alert").first()).toContainText("steps of 0.05");
  });
});

test("the week goes out in words", () => {
  const text = server.done("watch", "report", "--project", project, "--format", "markdown").out;
  expect(text).toMatch(/- faithfulness [▁-█]+ 0\.\d\d \[/);
  expect(text).toContain("Lowest of the week");
  expect(text).not.toContain("<b>");
  const report = JSON.parse(server.done("watch", "report", "--project", project, "--format", "json").out);
  expect(report.worst).toHaveLength(5);
});
