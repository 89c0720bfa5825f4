/** Code that uses a key in each client, with the gateway's address. */

export interface Snippet {
  readonly id: string
  readonly words: string
  readonly text: string
}

/** @param key the secret, or a placeholder */
export function snippetsOf({
  gateway,
  key,
  model,
}: {
  readonly gateway: string
  readonly key: string
  readonly model: string
}): readonly Snippet[] {
  return [
    {
      id: 'openai',
      words: 'OpenAI',
      text: `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${gateway}/v1',
  apiKey: '${key}',
})
const answer = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)
`,
    },
    {
      id: 'anthropic',
      words: 'Anthropic',
      text: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: '${gateway}',
  apiKey: '${key}',
})
const answer = await client.messages.create({
  model: ${JSON.stringify(model)},
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.content)
`,
    },
    {
      id: 'gemini',
      words: 'Gemini',
      text: `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: '${key}',
  httpOptions: { baseUrl: '${gateway}' },
})
const answer = await client.models.generateContent({
  model: ${JSON.stringify(model)},
  contents: 'Hello',
})
console.log(answer.text)
`,
    },
    {
      id: 'claude-code',
      words: 'Claude Code',
      text: `export ANTHROPIC_BASE_URL='${gateway}'
export ANTHROPIC_AUTH_TOKEN='${key}'
claude --model ${shellWord(model)}
`,
    },
    {
      id: 'curl',
      words: 'curl',
      text: `curl ${gateway}/v1/chat/completions \\
  -H 'authorization: Bearer ${key}' \\
  -H 'content-type: application/json' \\
  -d ${shellWord(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }))}
`,
    },
  ]
}

/** For the environment of a program. */
export function envFile({ gateway, key }: { readonly gateway: string; readonly key: string }): string {
  return [
    `OPENAI_BASE_URL=${gateway}/v1`,
    `OPENAI_API_KEY=${key}`,
    `ANTHROPIC_BASE_URL=${gateway}`,
    `ANTHROPIC_API_KEY=${key}`,
    `GOOGLE_GEMINI_BASE_URL=${gateway}`,
    `GEMINI_API_KEY=${key}`,
    '',
  ].join('\n')
}

function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
