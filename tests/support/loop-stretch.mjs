/**
 * Loaded into a server (`--import`): the longest that its main thread has worked without turning to others, in
 * milliseconds of its own CPU, so that a busy machine makes nobody late. It is looked for while the file
 * LOOP_STRETCH is there, and stands in it.
 */
import { existsSync, writeFileSync } from 'node:fs'

const file = process.env.LOOP_STRETCH ?? ''
let longestMs = 0
let turns = 0
let before = process.threadCpuUsage()

function wait() {
  if (!existsSync(file)) {
    setTimeout(wait, 20)
    return
  }
  longestMs = 0
  writeFileSync(file, '0')
  before = process.threadCpuUsage()
  setImmediate(turn)
}

function turn() {
  const { user, system } = process.threadCpuUsage()
  const ms = (user - before.user + system - before.system) / 1000
  if (ms > longestMs) writeFileSync(file, String((longestMs = ms)))
  if (++turns % 256 === 0 && !existsSync(file)) {
    wait()
    return
  }
  before = process.threadCpuUsage()
  setImmediate(turn)
}

wait()
