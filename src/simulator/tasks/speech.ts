import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { openaiError } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import type { Task, TaskRequest } from './task-simulator-interface.ts'

/** Source: docs/reference/wires.md "Speech". Usage is reported only if the response consists of server-sent events. */
export const speech: Task = {
  read: readSpeech,
  errorBody: openaiError,
  hasRetryAfter: true,
}

const Speech = z.strictObject({
  model: z.string(),
  input: z.string().min(1).max(4_096),
  voice: z.union([z.string(), z.strictObject({ id: z.string() })]),
  instructions: z.string().nullish(),
  // The simulator writes speech only in these formats.
  response_format: z.enum(['mp3', 'wav', 'pcm']).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(['sse', 'audio']).nullish(),
})

function readSpeech(body: JsonObject): TaskRequest | Rejection {
  const parsed = Speech.safeParse(body)
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? ''
    return rejection(`Invalid value: '${path}'.`, path)
  }
  const { input, instructions, response_format: format, speed, stream_format: streamFormat } = parsed.data
  const frames = Math.ceil((input.length * secondsPerCharacter) / (speed ?? 1) / secondsPerFrame)
  const isEvents = streamFormat === 'sse'
  return {
    inputTokens: countTokens(input) + countTokens(instructions ?? ''),
    userText: input,
    contentType: isEvents ? 'text/event-stream' : (types.get(format ?? 'mp3') ?? ''),
    *pieces(usage) {
      const sound = soundOf(format ?? 'mp3', frames)
      if (!isEvents) return yield* sound
      for (const piece of sound) yield event({ type: 'speech.audio.delta', audio: piece.toString('base64') })
      const output = Math.ceil(frames * secondsPerFrame * tokensPerSecond)
      const counts = usage !== null && {
        usage: { input_tokens: usage, output_tokens: output, total_tokens: usage + output },
      }
      yield event({ type: 'speech.audio.done', ...counts })
    },
  }
}

const types: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['pcm', 'audio/pcm'],
])

const secondsPerCharacter = 0.06
const secondsPerFrame = 0.024
const tokensPerSecond = 1_250 / 60

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/** Silence with 24,000 samples per second, in pieces of about a second. */
function* soundOf(format: string, frames: number): Generator<Buffer> {
  const frame = format === 'mp3' ? mp3Frame : Buffer.alloc(2 * samplesPerFrame)
  if (format === 'wav') yield wavHead
  for (let left = frames; left > 0; left -= framesPerPiece)
    yield Buffer.concat(Array.from({ length: Math.min(left, framesPerPiece) }, () => frame))
}

const samplesPerFrame = 576
const framesPerPiece = 42

/** A frame of MPEG-2, layer III, with 64 kbit/s and one channel. */
const mp3Frame = Buffer.concat([Buffer.from([0xff, 0xf3, 0x84, 0xc4]), Buffer.alloc(188)])

/** The head states the largest possible size, because the actual size is not known yet. */
const wavHead = Buffer.from(
  '52494646ffffffff57415645666d74201000000001000100c05d000080bb00000200100064617461ffffffff',
  'hex',
)
