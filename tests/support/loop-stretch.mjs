/**
 * Loaded into a server (`--import`): the longest that its main thread has worked without turning to others, in
 * milliseconds of its own CPU, so that a busy machine makes nobody late. It stands in the file LOOP_STRETCH,
 * and begins anew when that is gone.
 */
import { existsSync, writeFileSync } from 'node:fs'

const file = process.env.LOOP_STRETCH ?? ''
let longestMs = 0
let turns = 0
let before = process.threadCpuUsage()

function turn() {
  const { user, system } = process.threadCpuUsage()
  const ms = (user - before.user + system - before.system) / 1000
  const isAsked = ++turns % 256 === 0 && !existsSync(file)
  if (isAsked) longestMs = 0
  else longestMs = Math.max(longestMs, ms)
  if (isAsked || ms === longestMs) writeFileSync(file, String(longestMs))
  before = process.threadCpuUsage()
  setImmediate(turn)
}

// Not while it starts.
setTimeout(turn, 1000)
