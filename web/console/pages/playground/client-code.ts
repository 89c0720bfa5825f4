/** The same request with the official client and with curl. The key is a variable, so that it is not copied. */
import { clientsFor } from '#sdk/clients.ts'
import { wireRequest, type Asked } from './wires.ts'

export const codeLanguages = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const
export type CodeLanguage = (typeof codeLanguages)[number][0]

export function clientCode(language: CodeLanguage, asked: Asked, gateway: string): string {
  if (language === 'curl') return curlOf(asked, gateway)
  return language === 'typescript' ? typescriptOf(asked, gateway) : pythonOf(asked, gateway)
}

function curlOf(asked: Asked, gateway: string): string {
  const { body, headers, path } = wireRequest(asked, '$AK_KEY')
  const lines = [
    `curl ${asked.isStreamed ? '-N ' : ''}${shell(gateway.replace(/\/+$/, '') + path)}`,
    // Use double quotes, so that the shell inserts the key.
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    `-d ${shell(JSON.stringify(body))}`,
  ]
  return `${lines.join(' \\\n  ')}\n`
}

function typescriptOf(asked: Asked, gateway: string): string {
  const { isStreamed, maxTokens, model, prompt, wire } = asked
  const { anthropic, genai, openai } = clientsFor(gateway, '')
  const text = JSON.stringify
  const messages = `messages: [{ role: 'user', content: ${text(prompt)} }]`
  const stream = isStreamed ? '\n  stream: true,' : ''
  const print = (what: string, whole: string): string =>
    isStreamed ? `for await (const event of answer) ${what}` : whole
  switch (wire) {
    case 'chat':
      return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${text(openai.baseURL)}, apiKey: process.env.AK_KEY })
const answer = await client.chat.completions.create({
  model: ${text(model)},
  max_tokens: ${maxTokens},
  ${messages},${stream}
})
${print("process.stdout.write(event.choices[0]?.delta.content ?? '')", 'console.log(answer.choices[0].message.content)')}
`
    case 'responses':
      return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${text(openai.baseURL)}, apiKey: process.env.AK_KEY })
const answer = await client.responses.create({
  model: ${text(model)},
  max_output_tokens: ${maxTokens},
  input: ${text(prompt)},${stream}
})
${print("if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)", 'console.log(answer.output_text)')}
`
    case 'messages':
      return `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: ${text(anthropic.baseURL)}, apiKey: process.env.AK_KEY })
const answer = await client.messages.create({
  model: ${text(model)},
  max_tokens: ${maxTokens},
  ${messages},${stream}
})
${print("if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text)", 'console.log(answer.content)')}
`
    case 'generate':
      return `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: process.env.AK_KEY,
  httpOptions: { baseUrl: ${text(genai.httpOptions.baseUrl)} },
})
const answer = await client.models.${isStreamed ? 'generateContentStream' : 'generateContent'}({
  model: ${text(model)},
  contents: ${text(prompt)},
  config: { maxOutputTokens: ${maxTokens} },
})
${print("process.stdout.write(event.text ?? '')", 'console.log(answer.text)')}
`
    default:
      return wire satisfies never
  }
}

function pythonOf(asked: Asked, gateway: string): string {
  const { isStreamed, maxTokens, model, prompt, wire } = asked
  const { anthropic, genai, openai } = clientsFor(gateway, '')
  const text = JSON.stringify
  const messages = `messages=[{"role": "user", "content": ${text(prompt)}}]`
  const stream = isStreamed ? '\n    stream=True,' : ''
  const print = (lines: readonly string[], whole: string): string =>
    isStreamed ? ['for event in answer:', ...lines.map((line) => `    ${line}`)].join('\n') : whole
  switch (wire) {
    case 'chat':
      return `import os
from openai import OpenAI

client = OpenAI(base_url=${text(openai.baseURL)}, api_key=os.environ["AK_KEY"])
answer = client.chat.completions.create(
    model=${text(model)},
    max_tokens=${maxTokens},
    ${messages},${stream}
)
${print(['if event.choices:', '    print(event.choices[0].delta.content or "", end="")'], 'print(answer.choices[0].message.content)')}
`
    case 'responses':
      return `import os
from openai import OpenAI

client = OpenAI(base_url=${text(openai.baseURL)}, api_key=os.environ["AK_KEY"])
answer = client.responses.create(
    model=${text(model)},
    max_output_tokens=${maxTokens},
    input=${text(prompt)},${stream}
)
${print(['if event.type == "response.output_text.delta":', '    print(event.delta, end="")'], 'print(answer.output_text)')}
`
    case 'messages':
      return `import os
from anthropic import Anthropic

client = Anthropic(base_url=${text(anthropic.baseURL)}, api_key=os.environ["AK_KEY"])
answer = client.messages.create(
    model=${text(model)},
    max_tokens=${maxTokens},
    ${messages},${stream}
)
${print(['if event.type == "content_block_delta":', '    print(event.delta.text, end="")'], 'print(answer.content)')}
`
    case 'generate':
      return `import os
from google import genai

client = genai.Client(
    api_key=os.environ["AK_KEY"],
    http_options={"base_url": ${text(genai.httpOptions.baseUrl)}},
)
answer = client.models.${isStreamed ? 'generate_content_stream' : 'generate_content'}(
    model=${text(model)},
    contents=${text(prompt)},
    config={"max_output_tokens": ${maxTokens}},
)
${print(['print(event.text or "", end="")'], 'print(answer.text)')}
`
    default:
      return wire satisfies never
  }
}

function shell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
