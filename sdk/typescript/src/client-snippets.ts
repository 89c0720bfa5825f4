/**
 * Writes code that sends a request to a gateway. The console, the portal, the command line and the README show this
 * code.
 *
 * The table `wires` contains the request on each wire, over HTTP and with the official client. `requestCode` writes a
 * row of the table `wires` in a language, and `clientSnippets` selects the row for each client.
 */
import { clientsFor, type ClientsFor } from './clients.ts'
import { literal, shellWord, snake } from './values-as-source-code.ts'

export type Wire = 'chat' | 'messages' | 'responses' | 'generate'

export const codeLanguages = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const
export type CodeLanguage = (typeof codeLanguages)[number][0]

export interface Asked {
  readonly wire: Wire
  /** A model name that the key can use. The name may contain any characters. */
  readonly model: string
  readonly prompt: string
  /**
   * Maximum output tokens. If omitted, the gateway's default applies, or 1,024 for messages, which require a maximum.
   */
  readonly maxTokens?: number
  readonly isStreamed: boolean
}

export interface Access {
  /** Address of the application's gateway: `localGateway` if it is set, and otherwise `gateway`. */
  readonly gateway: string
  /** The secret of the key, or a placeholder. If null, the code reads the environment variable `API_KEY`. */
  readonly key: string | null
}

export interface WireRequest {
  /** Path that is added to the address of the gateway. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

interface WireCode {
  readonly client: keyof ClientsFor
  readonly path: (asked: Asked) => string
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly body: (asked: Asked) => Readonly<Record<string, unknown>>
  /** Returns the method of the official client. */
  readonly method: (asked: Asked) => string
  /** Arguments of the client's method. Omitted if the arguments are the fields of the body. */
  readonly arguments?: (asked: Asked) => Readonly<Record<string, unknown>>
  /** Statements that print a complete `answer`, or one `event` of a stream. */
  readonly print: Readonly<
    Record<'typescript' | 'python', { readonly whole: string; readonly event: string }>
  >
}

const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` })

const wires: Readonly<Record<Wire, WireCode>> = {
  chat: {
    client: 'openai',
    path: () => '/v1/chat/completions',
    headers: bearer,
    body: ({ isStreamed, maxTokens, model, prompt }) => ({
      model,
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      messages: [{ role: 'user', content: prompt }],
      ...(isStreamed && { stream: true }),
    }),
    method: () => 'chat.completions.create',
    print: {
      typescript: {
        whole: 'console.log(answer.choices[0].message.content)',
        event: `process.stdout.write(event.choices[0]?.delta.content ?? '')`,
      },
      python: {
        whole: 'print(answer.choices[0].message.content)',
        event: `if event.choices:\n        print(event.choices[0].delta.content or "", end="")`,
      },
    },
  },
  responses: {
    client: 'openai',
    path: () => '/v1/responses',
    headers: bearer,
    body: ({ isStreamed, maxTokens, model, prompt }) => ({
      model,
      ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
      input: prompt,
      ...(isStreamed && { stream: true }),
    }),
    method: () => 'responses.create',
    print: {
      typescript: {
        whole: 'console.log(answer.output_text)',
        event: `if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)`,
      },
      python: {
        whole: 'print(answer.output_text)',
        event: `if event.type == "response.output_text.delta":\n        print(event.delta, end="")`,
      },
    },
  },
  messages: {
    client: 'anthropic',
    path: () => '/v1/messages',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    body: ({ isStreamed, maxTokens = 1024, model, prompt }) => ({
      model,
      max_tokens: maxTokens,
      messages: [{ role: 'user', content: prompt }],
      ...(isStreamed && { stream: true }),
    }),
    method: () => 'messages.create',
    print: {
      typescript: {
        whole: 'console.log(answer.content)',
        event: `if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text)`,
      },
      python: {
        whole: 'print(answer.content)',
        event: `if event.type == "content_block_delta" and event.delta.type == "text_delta":\n        print(event.delta.text, end="")`,
      },
    },
  },
  generate: {
    client: 'genai',
    path: ({ isStreamed, model }) =>
      `/v1beta/models/${model.split('/').map(encodeURIComponent).join('/')}:${isStreamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: ({ maxTokens, prompt }) => ({
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      ...(maxTokens !== undefined && { generationConfig: { maxOutputTokens: maxTokens } }),
    }),
    method: ({ isStreamed }) => `models.generateContent${isStreamed ? 'Stream' : ''}`,
    arguments: ({ maxTokens, model, prompt }) => ({
      model,
      contents: prompt,
      ...(maxTokens !== undefined && { config: { maxOutputTokens: maxTokens } }),
    }),
    print: {
      typescript: { whole: 'console.log(answer.text)', event: `process.stdout.write(event.text ?? '')` },
      python: { whole: 'print(answer.text)', event: `print(event.text or "", end="")` },
    },
  },
}

/**
 * Returns the path, the headers and the body of the HTTP request.
 * @param key a secret, or the name of a variable in code that users copy
 */
export function wireRequest(asked: Asked, key: string): WireRequest {
  const { body, headers, path } = wires[asked.wire]
  return {
    path: path(asked),
    headers: { 'content-type': 'application/json', ...headers(key) },
    body: body(asked),
  }
}

/** Returns the request as a shell command, or as a program with the official client. */
export function requestCode(language: CodeLanguage, asked: Asked, access: Access): string {
  return { curl: curlOf, typescript: typescriptOf, python: pythonOf }[language](asked, access)
}

function curlOf(asked: Asked, { gateway, key }: Access): string {
  const { body, headers, path } = wireRequest(asked, key ?? '$API_KEY')
  // The header is in double quotes, so that the shell inserts the value of the variable.
  const quote = (header: string): string =>
    key === null && header.includes('$API_KEY') ? `"${header}"` : shellWord(header)
  const lines = [
    `curl ${asked.isStreamed ? '-N ' : ''}${shellWord(clientsFor(gateway, '').anthropic.baseURL + path)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `-d ${shellWord(JSON.stringify(body))}`,
  ]
  return `${lines.join(' \\\n  ')}\n`
}

/** The module, the imported name and the constructor of each official client. */
const libraries: Readonly<
  Record<
    keyof ClientsFor,
    Readonly<Record<'typescript' | 'python', readonly [module: string, name: string, constructor: string]>>
  >
> = {
  openai: { typescript: ['openai', 'OpenAI', 'OpenAI'], python: ['openai', 'OpenAI', 'OpenAI'] },
  anthropic: {
    typescript: ['@anthropic-ai/sdk', 'Anthropic', 'Anthropic'],
    python: ['anthropic', 'Anthropic', 'Anthropic'],
  },
  genai: {
    typescript: ['@google/genai', '{ GoogleGenAI }', 'GoogleGenAI'],
    python: ['google', 'genai', 'genai.Client'],
  },
}

/**
 * Returns the options of the client's constructor and the arguments of its method, with the names of the TypeScript
 * client.
 */
function inputsOf(asked: Asked, { gateway, key }: Access): { options: [string, unknown][]; given: object } {
  const wire = wires[asked.wire]
  return {
    options: Object.entries(clientsFor(gateway, key ?? '')[wire.client]),
    given: wire.arguments?.(asked) ?? wire.body(asked),
  }
}

function typescriptOf(asked: Asked, access: Access): string {
  const { client, method, print } = wires[asked.wire]
  const { given, options } = inputsOf(asked, access)
  const [module, name, constructor] = libraries[client].typescript
  const option = ([field, value]: [string, unknown]): string =>
    `  ${field}: ${field === 'apiKey' && access.key === null ? 'process.env.API_KEY' : literal('typescript', value)},\n`
  return `import ${name} from ${literal('typescript', module)}

const client = new ${constructor}({
${options.map(option).join('')}})
const answer = await client.${method(asked)}({
${Object.entries(given)
  .map(([field, value]) => `  ${field}: ${literal('typescript', value)},\n`)
  .join('')}})
${asked.isStreamed ? `for await (const event of answer) ${print.typescript.event}` : print.typescript.whole}
`
}

function pythonOf(asked: Asked, access: Access): string {
  const { client, method, print } = wires[asked.wire]
  const { given, options } = inputsOf(asked, access)
  const [module, name, constructor] = libraries[client].python
  const option = ([field, value]: [string, unknown]): string =>
    `    ${snake(field)}=${field === 'apiKey' && access.key === null ? 'os.environ["API_KEY"]' : literal('python', snaked(value))},\n`
  return `${access.key === null ? 'import os\n' : ''}from ${module} import ${name}

client = ${constructor}(
${options.map(option).join('')})
answer = client.${snake(method(asked))}(
${Object.entries(given)
  .map(([field, value]) => `    ${snake(field)}=${literal('python', snaked(value))},\n`)
  .join('')})
${asked.isStreamed ? `for event in answer:\n    ${print.python.event}` : print.python.whole}
`
}

function snaked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [snake(name), snaked(one)]))
}

export const snippetClients = ['OpenAI', 'Anthropic', 'Gemini', 'Claude Code', 'curl', '.env'] as const
export type SnippetClient = (typeof snippetClients)[number]

/** Returns code for a new key: a first request with each client, and the settings of agents and environments. */
export function clientSnippets({
  gateway,
  key,
  model,
}: {
  readonly gateway: string
  /** The secret of the key, or a placeholder if the secret is no longer known. */
  readonly key: string
  readonly model: string
}): Readonly<Record<SnippetClient, string>> {
  const code = (language: CodeLanguage, wire: Wire): string =>
    requestCode(language, { wire, model, prompt: 'Hello', isStreamed: false }, { gateway, key })
  const { anthropic } = clientsFor(gateway, key)
  return {
    OpenAI: code('typescript', 'chat'),
    Anthropic: code('typescript', 'messages'),
    Gemini: code('typescript', 'generate'),
    'Claude Code': `export ANTHROPIC_BASE_URL=${shellWord(anthropic.baseURL)}
export ANTHROPIC_API_KEY=${shellWord(anthropic.apiKey)}
claude --model ${shellWord(model)}
`,
    curl: code('curl', 'chat'),
    '.env': keyFile({ gateway, key }),
  }
}

/** Returns lines that set the environment variables which official clients and agents read. */
export function keyFile({ gateway, key }: { readonly gateway: string; readonly key: string }): string {
  const { anthropic, genai, openai } = clientsFor(gateway, key)
  const variables = {
    OPENAI_BASE_URL: openai.baseURL,
    OPENAI_API_KEY: openai.apiKey,
    ANTHROPIC_BASE_URL: anthropic.baseURL,
    ANTHROPIC_API_KEY: anthropic.apiKey,
    GOOGLE_GEMINI_BASE_URL: genai.httpOptions.baseUrl,
    GEMINI_API_KEY: genai.apiKey,
  }
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${shellWord(value)}\n`)
    .join('')
}
