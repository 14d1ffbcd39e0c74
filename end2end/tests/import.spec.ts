// A table of another tool as a lead brings it in: sent, mapped, looked at, imported; and the next one, whose mapping is remembered.
import { member } from "../fixtures/people";
import { Server } from "../fixtures/server";
import { accessible, expect, fits, ready, scripted, test } from "../fixtures/test";

const CONVERSATION = JSON.stringify({ id: "c1", question: "May I send it back?", answer: { text: "Yes." } });
const TABLE = "Frage,Antwort,Laden\nDarf ich es an ada@example.com <b>schicken</b>?,Ja.,Nord\n";
const MORE = "Frage,Antwort,Laden\nWann kommt es?,Morgen.,Ost\n";

let server: Server;
test.beforeAll(async () => {
  server = await Server.start();
});
test.afterAll(async () => {
  await server.stop();
});

/** How many conversations the file holds. */
function conversations(): number {
  return JSON.parse(server.done("doctor", "--json").out).rows.conversations;
}

test("a table is mapped, looked at and imported, and its mapping is remembered", async ({ browser, open }) => {
  const project = server.project("import", server.done("rubric", "show", "retrieval").out, CONVERSATION);
  const lead = await member(browser, server, project, "lead", `lead-${project}-${scripted()}`);
  const context = await browser.newContext({ javaScriptEnabled: scripted(), storageState: await lead.storageState() });
  const page = await open(context);
  const send = async (name: string, text: string) => {
    await page.getByLabel("File", { exact: true }).setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.getByRole("button", { name: /^Send/ }).click();
    await page.waitForURL(/[?&]file=/);
    await ready(page);
  };
  await page.goto(`${server.origin}/p/${project}/import`);
  if (scripted()) await accessible(page, "the import page");
  await fits(page, "the import page");

  await page.getByLabel("e-mail addresses").check();
  const taken = page.waitForResponse(/rpc\/set_redaction/);
  await page.getByRole("button", { name: "Set" }).click();
  await taken;
  await page.goto(`${server.origin}/p/${project}/import`);
  await expect(page.getByLabel("e-mail addresses")).toBeChecked();

  await send("faq.csv", TABLE);
  await expect(page.getByRole("heading", { name: /^faq\.csv/ })).toBeVisible();
  await expect(page.getByText("expected a question and its answer")).toBeVisible();
  await expect(page.getByRole("button", { name: "Import", exact: true })).toHaveCount(0);
  if (scripted()) await accessible(page, "a table without a mapping");

  await page.getByLabel("Written by").selectOption("csv");
  await page.getByLabel("question", { exact: true }).selectOption("Frage");
  await page.getByLabel("answer", { exact: true }).selectOption("Antwort");
  await page.getByLabel("Remember the columns as").fill("faq");
  await page.getByRole("button", { name: "Look at it" }).click();
  await expect(page.getByText("Read as csv: 1 record.")).toBeVisible();
  await expect(page.getByText("Taken out: e-mail: 1 value in 1 place.")).toBeVisible();
  await page.getByText("The first conversation").click();
  await expect(page.getByText("Darf ich es an [e-mail 1] <b>schicken</b>?").first()).toBeVisible();
  if (scripted()) await accessible(page, "a table that was understood");
  await fits(page, "a table that was understood");
  expect(conversations()).toBe(1);

  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("This file was imported.")).toBeVisible();
  expect(conversations()).toBe(2);

  await page.goto(`${server.origin}/p/${project}/import`);
  await send("more.csv", MORE);
  await expect(page.getByText("Read as csv: 1 record.")).toBeVisible();
  await expect(page.getByLabel("Remember the columns as")).toHaveValue("faq");
  await expect(page.getByLabel("question", { exact: true })).toHaveValue("Frage");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect(page.getByText("This file was imported.")).toBeVisible();
  expect(conversations()).toBe(3);
  await context.close();
  await lead.close();
});

test("an empty file and a broken one are refused with the reason", async ({ browser, open }) => {
  const project = server.project("import-refused", server.done("rubric", "show", "retrieval").out, CONVERSATION);
  const lead = await member(browser, server, project, "lead", `lead-${project}-${scripted()}`);
  const context = await browser.newContext({ javaScriptEnabled: scripted(), storageState: await lead.storageState() });
  const page = await open(context);
  await page.goto(`${server.origin}/p/${project}/import`);
  const send = async (name: string, text: string) => {
    await page.getByLabel("File", { exact: true }).setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
    await page.getByRole("button", { name: /^Send/ }).click();
  };
  await send("empty.json", "");
  await expect(page.getByText("The file is empty")).toBeVisible();
  await ready(page);
  await send("broken.json", '[{"user_input": "q", "response"');
  await expect(page.getByText("the file was cut off")).toBeVisible();
  await context.close();
  await lead.close();
});
