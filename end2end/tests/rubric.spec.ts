// The rubric as a lead changes it: text in, errors that say where, a version out, and what it left behind.
import { ask, member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, scripted, test } from "../fixtures/test";

const CONVERSATION = JSON.stringify({
  id: "c1",
  question: "May I send it back?",
  passages: [{ id: "p1", text: "Within 30 days." }],
  answer: { text: "Yes." },
});

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

test("a rubric is changed, published, compared, and its stale labels are told", async ({ browser }) => {
  const project = server.project("rubric", server.done("rubric", "show", "retrieval").out, CONVERSATION);
  const label = "annotator,conversation,unit,criterion,value\nada,c1,passage:p1,passage-relevance,3\n";
  server.done("import", "labels", "--project", project, server.file("labels.csv", label));
  const lead = await member(browser, server, project, "lead", `lead-${project}-${scripted()}`);
  const context = await browser.newContext({ javaScriptEnabled: scripted(), storageState: await lead.storageState() });
  const page = await context.newPage();
  const address = `${server.origin}/p/${project}/rubric`;
  const open = async (path = "") => {
    await page.goto(address + path);
    if (scripted()) await expect(page.locator("html")).toHaveAttribute("data-hydrated", "true");
  };
  await open();
  const text = page.getByLabel("Rubric, in TOML");
  const first = await text.inputValue();
  expect(first).toContain("version = 2");
  const publish = page.getByRole("button", { name: "Publish" });

  await publish.click();
  await expect(page.locator(".summary-of-errors")).toContainText("This asks what version 1 asks");

  await text.fill(first.replace('unit = "passage"', 'unit = "sentence"'));
  await publish.click();
  await expect(page.locator(".summary-of-errors")).toContainText("unknown variant `sentence`");

  const next = first.replace(/question = .*/, 'question = "Does the passage <b>help</b>?"');
  if (scripted()) {
    await text.fill(next);
    await page.getByRole("button", { name: "Check and preview" }).click();
    const trial = page.locator(".needs-script [role=status]");
    await expect(trial).toContainText("Does the passage <b>help</b>?");
    await expect(trial).toContainText("1 label was given to another wording or scale");
    await expect(trial.locator(".preview")).toContainText("Within 30 days.");
    await accessible(page, "the rubric with a preview");
  }
  await text.fill(next);
  await publish.click();
  await expect(page.getByRole("heading", { name: "In force: retrieval@2" })).toBeVisible();
  await expect(page.locator("ins").first()).toHaveText("Does the passage <b>help</b>?");
  await expect(page.getByRole("link", { name: "passage-relevance" })).toBeVisible();
  await expect(page.getByText("1 label was given to another wording or scale.")).toBeVisible();

  await open("?template=routing");
  await expect(text).toHaveValue(/name = "routing"\nversion = 1\n/);
  if (scripted()) await accessible(page, "the rubric");
  await page.setViewportSize({ width: 390, height: 900 });
  await fits(page, "the rubric on a phone");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.screenshot({ path: test.info().outputPath(`rubric-${colorScheme}.png`), fullPage: true });
  }
  await context.close();

  const annotator = await member(browser, server, project, "annotator", `ann-${project}-${scripted()}`);
  expect((await ask(annotator, server.origin, "load_rubric", { project })).status).toBe(403);
});
