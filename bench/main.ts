/**
 * `npm run bench` compares the gateway, with durable metering, with a minimal proxy (the floor), in one run on one
 * machine. Four processes share the cores of the machine: this process (load), the fake provider, the minimal proxy,
 * and the gateway. The command prints one JSON document.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseOptions, usageText, type Options } from './command-line-options.ts'
import { profile } from './cpu-profile-of-server.ts'
import { run } from './run-benchmarks.ts'

await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<void> {
  let options: Options
  try {
    options = parseOptions(args)
  } catch (fault) {
    console.error(`${fault instanceof Error ? fault.message : String(fault)}\n\n${usageText}`)
    process.exitCode = 2
    return
  }
  if (options.wantsHelp) {
    console.log(usageText)
    return
  }
  const folder = mkdtempSync(join(options.dataFolder ?? tmpdir(), 'tollgate-bench-'))
  // Delete the files on exit, so that an interrupted run also leaves nothing on the disk.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

  const result = await (options.profile === null
    ? run(options, folder)
    : profile({ scenario: options.profile, options, folder }))
  const text = JSON.stringify(result, null, 2)
  console.log(text)
  if (options.writesResult) writeResult(options, text)
}

function writeResult({ writer }: Options, text: string): void {
  const results = join(import.meta.dirname, 'results')
  mkdirSync(results, { recursive: true })
  const date = new Date().toISOString().slice(0, 10)
  const path = join(results, `${date}${writer === null ? '' : `-${writer}`}.json`)
  writeFileSync(path, `${text}\n`)
  console.error(`bench: written to ${path}`)
}
