import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { wires } from '#wire/table-of-wires.ts'
import { promptText } from './prompt-as-text-for-tokenizer.ts'

const data = 'iVBORw0KGgo'.repeat(20)

function read(wire: WireName, body: JsonObject) {
  return promptText(body, wires[wire].settings)
}

/** For each wire, the same turn, with an image and a plain text document if the wire supports them. */
const bodies: Readonly<Record<WireName, JsonObject>> = {
  chat: {
    model: 'm',
    temperature: 0.5,
    stop: ['never read'],
    stream_options: { include_usage: true },
    user: 'never read',
    metadata: { note: 'never read' },
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Say ok.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
          { type: 'input_audio', input_audio: { data, format: 'wav' } },
        ],
      },
    ],
    tools: [{ type: 'function', function: { name: 'search' } }],
  },
  responses: {
    model: 'm',
    user: 'never read',
    metadata: { note: 'never read' },
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Say ok.' },
          { type: 'input_image', image_url: `data:image/png;base64,${data}` },
          { type: 'input_file', file_data: data },
        ],
      },
      { type: 'function_call_output', call_id: 'c', output: 'done' },
    ],
    tools: [{ type: 'function', name: 'search' }],
  },
  messages: {
    model: 'm',
    metadata: { user_id: 'never read' },
    stop_sequences: ['never read'],
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Say ok.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A document.' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'open', input: { url: 'a/b' } }] },
    ],
    tools: [{ name: 'search', input_schema: { type: 'object' } }],
  },
  generate: {
    labels: { note: 'never read' },
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Say ok.' }, { inlineData: { mimeType: 'image/png', data } }] },
    ],
    generationConfig: { temperature: 1, stopSequences: ['never read'], responseSchema: { type: 'STRING' } },
    tools: [{ functionDeclarations: [{ name: 'search' }] }],
  },
  converse: {
    requestMetadata: { note: 'never read' },
    inferenceConfig: { temperature: 1, stopSequences: ['never read'] },
    system: [{ text: 'Be brief.' }],
    messages: [
      {
        role: 'user',
        content: [
          { text: 'Say ok.' },
          { image: { format: 'png', source: { bytes: data } } },
          { document: { format: 'pdf', name: 'a', source: { bytes: data } } },
        ],
      },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'open', input: {} } }] },
    ],
    toolConfig: { tools: [{ toolSpec: { name: 'search', inputSchema: { json: { type: 'object' } } } }] },
  },
  cohere: {
    model: 'm',
    temperature: 0.5,
    stop_sequences: ['never read'],
    safety_mode: 'never read',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Say ok.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
        ],
      },
    ],
    documents: [{ data: { text: 'A document.' } }],
    tools: [{ type: 'function', function: { name: 'search' } }],
  },
}

describe.each(Object.entries(bodies))('the text of a request on %s', (wire, body) => {
  // All keys of `bodies` are names of wires.
  const { text, turns } = read(wire as WireName, body)

  it('the text for the tokenizer contains everything that a model reads', () => {
    for (const part of ['Be brief.', 'Say ok.', 'search']) expect(text).toContain(part)
    if (wire === 'messages' || wire === 'cohere') expect(text).toContain('A document.')
    if (wire === 'messages') expect(text).toContain('"input":{"url":"a/b"}')
    if (wire === 'responses') expect(text).toContain('done')
    if (wire === 'generate') expect(text).toContain('STRING')
    expect(turns).toBe(2)
  })

  it('the text for the tokenizer contains no settings and no media data', () => {
    expect(text).not.toContain('never read')
    expect(text).not.toContain(data)
    expect(text).not.toContain('temperature')
  })
})

it('an input that is a plain string counts as one turn', () => {
  expect(read('responses', { model: 'm', input: 'Say ok.' })).toEqual({ text: 'Say ok.', turns: 1 })
})

it('text that only looks like media is not removed', () => {
  const text = `data: ${'word '.repeat(30)}`
  const content = [{ type: 'tool_result', content: text, data: text }]
  const kept = read('messages', { messages: [{ role: 'user', content }] }).text
  expect(kept.split('word')).toHaveLength(61)
})
