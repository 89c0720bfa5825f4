/** Formats the first request for several clients. */
export const clients = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const
export type Client = (typeof clients)[number][0]

export function callSnippet({
  baseUrl,
  client,
  key,
  model,
}: {
  readonly client: Client
  /** Base URL of the gateway. A slash at the end is removed. */
  readonly baseUrl: string
  readonly model: string
  /** Null to read the key from the environment. */
  readonly key: string | null
}): string {
  const address = `${baseUrl.replace(/\/+$/, '')}/v1`
  if (client === 'curl') {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
    return [
      `curl ${address}/chat/completions`,
      `-H "authorization: Bearer ${key ?? '$API_KEY'}"`,
      `-H 'content-type: application/json'`,
      `-d '${body.replaceAll("'", String.raw`'\''`)}'`,
    ].join(' \\\n  ')
  }
  if (client === 'typescript') {
    return [
      `import OpenAI from 'openai'`,
      '',
      `const client = new OpenAI({`,
      `  baseURL: ${JSON.stringify(address)},`,
      `  apiKey: ${key === null ? 'process.env.API_KEY' : JSON.stringify(key)},`,
      `})`,
      `const answer = await client.chat.completions.create({`,
      `  model: ${JSON.stringify(model)},`,
      `  messages: [{ role: 'user', content: 'Hello' }],`,
      `})`,
      `console.log(answer.choices[0]?.message.content)`,
      '',
    ].join('\n')
  }
  return [
    `import os`,
    `from openai import OpenAI`,
    '',
    `client = OpenAI(`,
    `    base_url=${JSON.stringify(address)},`,
    `    api_key=${key === null ? 'os.environ["API_KEY"]' : JSON.stringify(key)},`,
    `)`,
    `answer = client.chat.completions.create(`,
    `    model=${JSON.stringify(model)},`,
    `    messages=[{"role": "user", "content": "Hello"}],`,
    `)`,
    `print(answer.choices[0].message.content)`,
    '',
  ].join('\n')
}
