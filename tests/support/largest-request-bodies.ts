/**
 * The most expensive bodies to read, each of the maximum size. Most of the bodies are rejected because of their
 * content. The gateway must read each of these bodies without delaying other calls.
 */
export type BodyWire = 'chat' | 'messages' | 'generate' | 'responses'

export interface LargeBody {
  readonly name: string
  readonly wire: BodyWire
  readonly of: (bytes: number, model: string) => string
}

export const pathOfWire = (wire: BodyWire, model: string): string =>
  ({
    chat: '/v1/chat/completions',
    messages: '/v1/messages',
    generate: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    responses: '/v1/responses',
  })[wire]

/** `content` contains JSON. */
function around(wire: BodyWire, model: string, content: { text: string } | { parts: string }): string {
  const name = JSON.stringify(model)
  if (wire === 'generate') {
    const parts = 'text' in content ? `[{"text":${content.text}}]` : content.parts
    return `{"contents":[{"role":"user","parts":${parts}}],"generationConfig":{"maxOutputTokens":16}}`
  }
  const body = 'text' in content ? content.text : content.parts
  if (wire === 'responses')
    return `{"model":${name},"max_output_tokens":16,"input":[{"role":"user","content":${body}}]}`
  return `{"model":${name},"max_tokens":16,"messages":[{"role":"user","content":${body}}]}`
}

function filled(piece: string, bytes: number): string {
  return piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))))
}

function listed(piece: (i: number) => string, bytes: number): string {
  const count = Math.max(1, Math.floor(bytes / (Buffer.byteLength(piece(0)) + 1)))
  return `[${Array.from({ length: count }, (_, i) => piece(i)).join(',')}]`
}

const text = (name: string, piece: string, wire: BodyWire = 'chat'): LargeBody => ({
  name,
  wire,
  of: (bytes, model) => around(wire, model, { text: `"${filled(piece, bytes)}"` }),
})

/** A text of 61 characters without a pattern. */
const base64 = 'iVBORw0KGgoAAAANSUhEUgAA+/9k3Qd8VNX2wPHfnZlkkkmvQEgg1NCb9I6'

function image(wire: BodyWire, data: string): string {
  if (wire === 'messages')
    return `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${data}"}}`
  if (wire === 'generate') return `{"inlineData":{"mimeType":"image/png","data":"${data}"}}`
  if (wire === 'responses') return `{"type":"input_image","image_url":"data:image/png;base64,${data}"}`
  return `{"type":"image_url","image_url":{"url":"data:image/png;base64,${data}"}}`
}

const images = (name: string, wire: BodyWire, data: string, count: number | null): LargeBody => ({
  name,
  wire,
  of: (bytes, model) => {
    const parts =
      count === 1
        ? `[${image(wire, filled(data, bytes))}]`
        : listed(() => image(wire, filled(data, 6000)), bytes)
    return around(wire, model, { parts })
  },
})

const textPart = (wire: BodyWire): string =>
  wire === 'generate'
    ? '{"text":""}'
    : wire === 'responses'
      ? '{"type":"input_text","text":""}'
      : '{"type":"text","text":""}'

const partsMax = 29_000

const parts = (wire: BodyWire): LargeBody => ({
  name: `as many parts as there may be, ${wire}`,
  wire,
  of: (bytes, model) => {
    const room = Math.max(1, Math.floor(bytes / partsMax) - textPart(wire).length - 1)
    const part = textPart(wire).replace('"text":""', `"text":"${'t'.repeat(room)}"`)
    return around(wire, model, { parts: listed(() => part, Math.min(bytes, partsMax * (part.length + 1))) })
  },
})

/** Puts a field next to the only turn of a chat request. */
const beside = (name: string, field: (bytes: number) => string): LargeBody => ({
  name,
  wire: 'chat',
  of: (bytes, model) => `${around('chat', model, { text: '"Hello"' }).slice(0, -1)},${field(bytes)}}`,
})

function besideText(list: string, bytes: number): string {
  return `"x":${list},"y":"${filled('y', Math.max(1, bytes - list.length))}"`
}

export const largeBodies: readonly LargeBody[] = [
  text('ASCII', 'The quick brown fox jumps over the lazy dog. '),
  text('letters beyond ASCII', 'é'),
  text('Chinese', '一二三'),
  text('emoji', '👍🏽'),
  text('marks out of order', '\u0301\u0327'),
  text('what grows by being normalised', '\ufdfa'),
  text('mixed', 'Größe: 一二 👍 \\n \\u00e9 \\"quoted\\" '),
  text('escapes', '\\n'),
  text('escaped zeros', '\\u0000'),
  text('escaped quotes', '\\"'),
  text('letters beyond ASCII, messages', 'é', 'messages'),
  text('letters beyond ASCII, generate', 'é', 'generate'),
  text('letters beyond ASCII, responses', 'é', 'responses'),
  text('escapes, messages', '\\u00e9', 'messages'),
  text('escapes, generate', '\\u00e9', 'generate'),
  text('escapes, responses', '\\u00e9', 'responses'),
  text('base64 that is no medium', base64),
  beside('an escaped key', (bytes) => `"${filled('\\u0061', bytes)}":1`),
  beside(
    'long keys',
    (bytes) =>
      `"x":{${listed((i) => `"${String(i).padStart(7, '0')}${'k'.repeat(5000)}":1`, bytes).slice(1, -1)}}`,
  ),
  beside(
    'many escaped keys',
    (bytes) => `"x":{${listed((i) => `"\\u0074ype${String(i).padStart(7, '0')}":1`, bytes).slice(1, -1)}}`,
  ),
  beside('one number', (bytes) => `"seed":${filled('1', bytes)}`),
  beside('brackets', (bytes) => `"x":${filled('[', bytes)}`),
  beside('white space', (bytes) => `"x":${filled(' ', bytes)}1`),
  beside('as many values as there may be', (bytes) =>
    besideText(
      listed(() => '1', 280_000),
      bytes,
    ),
  ),
  beside('more values than there may be', (bytes) => `"x":${listed(() => '1', bytes)}`),
  beside('as many exact numbers as there may be', (bytes) =>
    besideText(
      listed(() => '1.0', 560_000),
      bytes,
    ),
  ),
  beside('deep nesting', (bytes) => `"x":${listed(() => `${'['.repeat(60)}${']'.repeat(60)}`, bytes)}`),
  beside('many small objects', (bytes) => `"x":${listed(() => '{"a":{}}', bytes)}`),
  {
    name: 'arguments full of escaped quotes',
    wire: 'chat',
    of: (bytes, model) =>
      `{"model":${JSON.stringify(model)},"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"${filled('{\\"a\\":', bytes)}"}}]}]}`,
  },
  {
    name: 'many messages',
    wire: 'chat',
    of: (bytes, model) =>
      `{"model":${JSON.stringify(model)},"messages":${listed(() => '{"role":"user","content":"a"}', bytes)}}`,
  },
  parts('chat'),
  parts('messages'),
  parts('generate'),
  parts('responses'),
  images('one image', 'chat', base64, 1),
  images('one image, messages', 'messages', base64, 1),
  images('one image, generate', 'generate', base64, 1),
  images('one image, responses', 'responses', base64, 1),
  images('one image with escaped slashes', 'chat', base64.replaceAll('/', '\\/'), 1),
  images('one image of nothing but escapes', 'chat', '\\/', 1),
  images('many images', 'chat', base64, null),
]
