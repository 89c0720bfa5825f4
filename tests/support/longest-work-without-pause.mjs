/**
 * Loaded into a server with `--import`. Measures the longest CPU time for which the main thread worked without a pause,
 * in milliseconds. Measures while the file LOOP_STRETCH contains a run's name, and writes the result with that name to
 * LOOP_STRETCH.found.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const file = process.env.LOOP_STRETCH ?? ''
let run = ''
let longestMs = 0
let turns = 0
let before = process.threadCpuUsage()

function runAsked() {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function look() {
  const asked = runAsked()
  if (asked === '') {
    run = ''
    setTimeout(look, 20)
    return
  }
  if (asked !== run) {
    run = asked
    longestMs = 0
    writeFileSync(`${file}.found`, `${run} 0`)
  }
  before = process.threadCpuUsage()
  setImmediate(turn)
}

function turn() {
  const { user, system } = process.threadCpuUsage()
  const ms = (user - before.user + system - before.system) / 1000
  if (ms > longestMs) writeFileSync(`${file}.found`, `${run} ${String((longestMs = ms))}`)
  if (++turns % 256 === 0) {
    look()
    return
  }
  before = process.threadCpuUsage()
  setImmediate(turn)
}

look()
