import { useState, type ReactNode } from 'react'
import { snippetClients, type SnippetClient } from '#sdk/client-snippets.ts'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { Select } from './ui/select.tsx'

export function SnippetTabs({
  mask = (text) => text,
  snippets,
}: {
  /** Copied text contains the unmasked secret. */
  readonly mask?: (text: string) => string
  readonly snippets: Readonly<Record<SnippetClient, string>>
}): ReactNode {
  const [client, choose] = useState<SnippetClient>('OpenAI')
  const text = snippets[client]
  return (
    <div className="flex flex-col gap-2">
      <Select
        label="Client"
        value={client}
        options={snippetClients.map((one) => [one, one] as const)}
        onChange={(chosen) => choose(snippetClients.find((one) => one === chosen) ?? client)}
      />
      <CodeBlock label={`For ${client}`} text={text} shown={mask(text)} />
    </div>
  )
}
