import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/simulated-rejection.ts'
import { openaiError } from '#simulator/error-bodies-of-vendors.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { countTokens } from '#simulator/count-simulated-tokens.ts'
import { fieldInError } from '#simulator/parse-multipart-bodies.ts'
import type { Task, TaskRequest } from './task-simulator-interface.ts'

/**
 * OpenAI's transcriptions and translations (docs/reference/wires.md "Transcriptions"), whose requests are forms
 * (parse-multipart-bodies.ts). Models with GPT in their names report tokens, and other models report seconds.
 */
export const transcriptions: Task = {
  read: readTranscription,
  errorBody: openaiError,
  hasRetryAfter: true,
}

const Transcription = z.object({
  model: z.string(),
  prompt: z.string().default('Hello there.'),
  response_format: z.enum(['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json']).default('json'),
  stream: z.enum(['true', 'false']).optional(),
  language: z.string().optional(),
  files: z.literal(1),
  fileBytes: z.int().min(1),
  fileHead: z.string(),
})

function readTranscription(body: JsonObject): TaskRequest | Rejection {
  const parsed = Transcription.safeParse(body)
  if (!parsed.success) {
    const path = fieldInError(parsed.error.issues[0]?.path.join('.') ?? '', 'file')
    return rejection(`Invalid value: '${path}'.`, path)
  }
  const { fileBytes, fileHead, model, prompt: asked, response_format: format, stream } = parsed.data
  // Whisper ignores the field `stream`.
  const isStream = stream === 'true' && !model.includes('whisper')
  const seconds = secondsOf(Buffer.from(fileHead, 'latin1'), fileBytes)
  const prompt = asked.slice(0, transcriptLengthMax)
  const isPlain = format === 'text' || format === 'srt' || format === 'vtt'
  const reported = (usage: number | null): object => ({
    ...(usage !== null && { usage: model.startsWith('gpt') ? tokensOf(seconds, prompt) : duration(seconds) }),
  })
  return {
    inputTokens: 0,
    userText: asked,
    ...(isStream && { contentType: 'text/event-stream' }),
    ...(isPlain && !isStream && { contentType: 'text/plain; charset=utf-8' }),
    *pieces(usage) {
      if (isStream) {
        for (const delta of prompt.split(/(?<= )/)) yield event({ type: 'transcript.text.delta', delta })
        yield event({ type: 'transcript.text.done', text: prompt, ...reported(usage) })
      } else if (format === 'text') yield `${prompt}\n`
      else if (isPlain) yield `1\n00:00:00,000 --> 00:00:01,000\n${prompt}\n`
      else if (format === 'json') yield JSON.stringify({ text: prompt, ...reported(usage) })
      else yield JSON.stringify({ task: 'transcribe', duration: seconds, text: prompt, ...reported(usage) })
    },
  }
}

/** In characters. With this length, the gateway's hold suffices even for one second of sound. */
const transcriptLengthMax = 500

/**
 * A file of another format counts as one second. The reported length therefore never exceeds the length that the
 * gateway reads from the file's frames.
 */
function secondsOf(head: Buffer, bytes: number): number {
  const isWav = head.length >= 36 && head.toString('latin1', 8, 16) === 'WAVEfmt '
  if (!isWav) return 1
  const bytesPerSecond = head.readUInt32LE(24) * head.readUInt16LE(32)
  return Math.ceil(bytes / Math.max(bytesPerSecond, slowestBytesPerSecond))
}

/** Minimum number of bytes for a second of audio, in any format. */
const slowestBytesPerSecond = 32

function tokensOf(seconds: number, prompt: string): object {
  const audio = seconds * 10
  const text = countTokens(prompt)
  return {
    type: 'tokens',
    input_tokens: audio + text,
    input_token_details: { audio_tokens: audio, text_tokens: text },
    output_tokens: text,
    total_tokens: audio + 2 * text,
  }
}

function duration(seconds: number): object {
  return { type: 'duration', seconds }
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
