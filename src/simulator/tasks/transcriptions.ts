import * as z from 'zod'
import { rejection, type Rejection } from '#simulator/rejection.ts'
import { openaiError } from '#simulator/error-body.ts'
import type { JsonObject } from '#simulator/loose-json.ts'
import { countTokens } from '#simulator/token-count.ts'
import type { Task, TaskRequest } from './task.ts'

/**
 * OpenAI's transcriptions and translations (docs/reference/wires.md "Transcriptions"), from a form (form-values.ts). The
 * transcript is the prompt. Models named GPT report tokens, and the others seconds.
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
})

function readTranscription(body: JsonObject): TaskRequest | Rejection {
  const parsed = Transcription.safeParse(body)
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? ''
    return rejection(`Invalid value: '${path}'.`, path)
  }
  const { fileBytes, model, prompt, response_format: format, stream } = parsed.data
  // Whisper ignores the field.
  const isStream = stream === 'true' && !model.includes('whisper')
  const seconds = Math.ceil(fileBytes / bytesPerSecond)
  const isPlain = format === 'text' || format === 'srt' || format === 'vtt'
  const reported = (usage: number | null): object => ({
    ...(usage !== null && { usage: model.startsWith('gpt') ? tokensOf(seconds, prompt) : duration(seconds) }),
  })
  return {
    inputTokens: 0,
    userText: prompt,
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

/** The files of the tests have 16,000 bytes a second. */
const bytesPerSecond = 16_000

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
