/**
 * `node tools/run.mjs prose [path…]` checks the prose of the repository, or of the given files and folders. `node
 * tools/run.mjs prose --sample <seed>` draws sentences and file names for readers.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { allowed } from './allowed-sentences.ts'
import { checkProse } from './check-prose.ts'
import { sampleOf } from './draw-sample.ts'

/**
 * Files whose prose people read. Texts of generated files are checked at their source, and third-party files are not
 * checked.
 */
const included =
  /^(?:[A-Z]+\.md|docs\/.*\.md|docs\/operations\/.*\.json|openapi\.json|[^/]+\.ts|(?:src|web|tests|tools|bench|sdk)\/.*\.(?:ts|tsx|mts|mjs|js|py))$/
const excluded = /\/generated\/|^docs\/reference\/(?:conversion-losses|put|shared-resources)\.md$|\.d\.ts$/

const { positionals: paths, values } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' } },
})
const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths],
  {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  },
)
  .split('\n')
  .filter((path) => included.test(path) && !excluded.test(path))

function* read() {
  for (const path of files) yield { path, text: readFileSync(path, 'utf8') }
}

if (values.sample === undefined) await check()
else printSample(values.sample)

function printSample(seed: string): void {
  const { names, sentences } = sampleOf([...read()], seed)
  console.log(`Seed: ${seed}`)
  for (const [at, { context, file, kind, sentence }] of sentences.entries()) {
    console.log(`\n${at + 1} | ${kind} | ${[file, ...context.map(shortened)].join(' › ')}`)
    console.log(`  ${sentence}`)
  }
  console.log()
  for (const [at, name] of names.entries()) console.log(`${at + 1} | ${name}`)
}

function shortened(text: string): string {
  return text.length > 200 ? `…${text.slice(-200)}` : text
}

async function check(): Promise<void> {
  const { findings, unused } = await checkProse(read(), allowed)
  for (const { file, place, rule, sentence, instead } of findings) {
    console.log(`${file}:${place}\n  ${sentence}\n  ${rule}: write ${instead}`)
  }
  for (const { file, pattern } of unused) {
    console.log(`tools/prose/allowed-sentences.ts: ${pattern} matches nothing in ${file}. Remove the entry.`)
  }
  const cpu = process.cpuUsage()
  const seconds = ((cpu.user + cpu.system) / 1e6).toFixed(1)
  console.log(`Prose: ${findings.length} findings in ${files.length} files (${seconds} s of CPU).`)
  if (findings.length + unused.length > 0) process.exitCode = 1
}
