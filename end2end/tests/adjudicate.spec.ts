// Adjudication, with and without JavaScript: labels without names, a decision by key or by form, and references that go elsewhere and back.
import { member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, scripted, test } from "../fixtures/test";

const RUBRIC = `
name = "desk"
version = 1
[[scale]]
id = "four"
kind = "ordinal"
levels = [{ value = 1, name = "no" }, { value = 2, name = "rather no" }, { value = 3, name = "rather yes" }, { value = 4, name = "yes" }]
[[criterion]]
id = "helpful"
component = "generation"
unit = "conversation"
scale = "four"
question = "Does it help?"
guideline = "Is the question answered?"
`;

const CONVERSATIONS = ["far", "near", "agreed"].map((id) => JSON.stringify({ id, question: `Where is my ${id} order?`, answer: { text: "On its way." } })).join("\n");

const LABELS = [
  "annotator,conversation,criterion,value,comment",
  "ada-secret,near,helpful,2,",
  "ben-secret,near,helpful,3,",
  "ada-secret,far,helpful,1,",
  "ben-secret,far,helpful,4,no date is given",
  "ada-secret,agreed,helpful,4,",
  "ben-secret,agreed,helpful,4,",
].join("\n");

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

/** A project on whose conversations two people do not agree. */
function contested(): string {
  const project = server.project("desk", RUBRIC, CONVERSATIONS);
  server.done("import", "labels", "--project", project, server.file("labels.csv", LABELS));
  return project;
}

test.describe("a lead", () => {
  // A form without its reason is refused, and the browser says so.
  test.use({ expected: [/422/] });

  test("decides what people do not agree on, and sees no names", async ({ browser, open }) => {
    const project = contested();
    const lead = await member(browser, server, project, "lead", `lea-${project}`);
    const context = await browser.newContext({ baseURL: server.origin, javaScriptEnabled: scripted(), storageState: await lead.storageState() });
    const page = await open(context);
    const answer = await page.goto(`/p/${project}/adjudicate`);
    expect(await answer?.text()).not.toContain("secret");
    await expect(page.getByRole("navigation").getByRole("link", { name: "Adjudicate" })).toHaveAttribute("aria-current", "page");

    await expect(page.getByText("1 of 2 to decide. 0 decided.")).toBeVisible();
    await expect(page.getByText("Where is my far order?")).toBeVisible();
    const said = page.getByRole("complementary", { name: "Decision" }).getByRole("listitem");
    await expect(said).toHaveCount(2);
    await expect(said.first()).toContainText("A");
    await expect(said.last()).toContainText("B");
    await expect(page.getByText("no date is given")).toBeVisible();
    await fits(page, "adjudicate");
    if (scripted()) await accessible(page, "adjudicate");

    if (scripted()) {
      await page.keyboard.press("3");
      await expect(page.getByRole("radio", { name: /rather yes/ })).toBeChecked();
      // In a text field a digit is a digit.
      await page.getByLabel("Note (optional)").fill("say if a date is needed");
      await page.keyboard.press("1");
      await expect(page.getByRole("radio", { name: /rather yes/ })).toBeChecked();
      await page.keyboard.press("Backspace");
    } else {
      await page.getByRole("radio", { name: /rather yes/ }).check();
      await page.getByLabel("Note (optional)").fill("say if a date is needed");
    }
    await page.getByRole("button", { name: "Decide and next" }).click();
    await expect(page.getByText("Choose why people did not agree.").first()).toBeVisible();
    if (!scripted()) {
      await page.getByRole("radio", { name: /rather yes/ }).check();
      await page.getByLabel("Note (optional)").fill("say if a date is needed");
    }
    await page.getByLabel("Why people did not agree").selectOption("guideline_gap");
    await page.getByRole("button", { name: "Decide and next" }).click();

    await expect(page.getByText("1 of 1 to decide. 1 decided.")).toBeVisible();
    await expect(page.getByText("Where is my near order?")).toBeVisible();
    const gaps = page.getByRole("region", { name: "Gaps in the guideline" });
    await expect(gaps.getByText("1 item to label again under the next rubric version.")).toBeVisible();
    await expect(gaps.getByRole("listitem")).toContainText("say if a date is needed");

    await page.getByRole("radio", { name: /^(2 )?rather no/ }).check();
    await page.getByLabel("Why people did not agree").selectOption("slip");
    await page.getByRole("button", { name: "Decide and next" }).click();
    await expect(page.getByRole("heading", { name: "Nothing is left to decide" })).toBeVisible();
    if (scripted()) await accessible(page, "adjudicate, at its end");

    const built = server.done("reference", "build", "--project", project, "--rule", "adjudicated");
    expect(built.err).toContain("3 references by adjudicated; 0 items have none");
    const exported = server.done("reference", "export", "--project", project).out;
    expect(exported).toContain('"provenance":"adjudicated"');
    const elsewhere = server.project("elsewhere", RUBRIC, CONVERSATIONS);
    server.done("reference", "import", "--project", elsewhere, server.file("references.json", exported));
    expect(server.done("reference", "export", "--project", elsewhere).out).toBe(exported);
  });
});

test.describe("who may not", () => {
  test.use({ expected: [/status of 403/] });

  test("an engineer is told who may adjudicate, and has no link to it", async ({ browser, open }) => {
    const project = contested();
    const engineer = await member(browser, server, project, "engineer", `ed-${project}`);
    const context = await browser.newContext({ baseURL: server.origin, javaScriptEnabled: scripted(), storageState: await engineer.storageState() });
    const page = await open(context);
    const answer = await page.goto(`/p/${project}/adjudicate`);
    expect(answer?.status()).toBe(403);
    await expect(page.getByText("This needs the role lead in the project.")).toBeVisible();
    await expect(page.getByRole("link", { name: "Adjudicate" })).toHaveCount(0);
  });
});
