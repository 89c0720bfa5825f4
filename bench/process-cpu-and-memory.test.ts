import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { familyCpuMicros } from './process-cpu-and-memory.ts'

const busy = 'while (process.cpuUsage().user < 100_000) {}'
const parent = `require('node:child_process').spawnSync(process.execPath, ['-e', process.argv[1]])
  process.stdout.write('ended')
  process.stdin.resume()`

test('the CPU time of a family contains the ended children of a running child', async () => {
  const before = familyCpuMicros(process.pid)
  const child = spawn(process.execPath, ['-e', parent, busy], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  })
  await once(child.stdout, 'data')
  const pid = child.pid ?? 0
  expect(familyCpuMicros(pid)).toBeGreaterThanOrEqual(100_000)
  expect(familyCpuMicros(process.pid) - before).toBeGreaterThanOrEqual(100_000)
})
