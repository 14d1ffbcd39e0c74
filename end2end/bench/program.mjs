// The release binary on a database of its own, as the measurements run it, and how they report.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const binary = process.env.TOUCHSTONE_BINARY ?? resolve(import.meta.dirname, "../../target/release/touchstone");

export function report(what, found, goal) {
  console.log(`${what.padEnd(58)} ${String(found).padStart(12)}   goal ${goal}`);
}

/** The value below which this share of all lies. */
export const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
export const median = (values) => quantile(values, 0.5);

export const pause = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));

/** Megabytes of a process: `VmRSS` now, `VmHWM` at most so far. */
export const memory = (pid, what = "VmRSS") => Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
export const peakMemory = (pid) => memory(pid, "VmHWM");

export class Program {
  folder = mkdtempSync(join(tmpdir(), "touchstone-bench-"));
  db = join(this.folder, "bench.db");

  constructor(port) {
    this.origin = `http://127.0.0.1:${port}`;
  }

  /** Runs a command, which must succeed. */
  run(...args) {
    const done = spawnSync(binary, ["--db", this.db, ...args], { encoding: "utf8" });
    if (done.status !== 0) throw new Error(done.stderr);
    return done.stdout;
  }

  /** Starts the server and waits for its first 200. */
  async serve() {
    const started = performance.now();
    const child = spawn(binary, ["--db", this.db, "serve", "--listen", new URL(this.origin).host], { stdio: "ignore" });
    for (;;) {
      try {
        if ((await fetch(`${this.origin}/sign-in`)).status === 200) break;
      } catch {
        await pause(2);
      }
    }
    return { child, seconds: (performance.now() - started) / 1000 };
  }

  /** Removes all that was written. */
  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ends a server; comes back when it is gone. */
export function stop(child, signal = "SIGTERM") {
  return new Promise((done) => {
    child.once("exit", done);
    child.kill(signal);
  });
}
