import { useState, type ReactNode } from 'react'
import { clientSnippets, keyFile, snippetClients, type SnippetClient } from '#sdk/client-snippets.ts'
import { gatewayOf } from '#sdk/clients.ts'
import type { MintedKey } from '#sdk/generated/types.ts'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { maskedSecret } from '#web/ui/masked-secret.ts'
import { SecretDialog } from '#web/ui/secret-dialog.tsx'
import { Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAnswer } from '../operations/use-operation.ts'

export function KeySecret({
  about,
  endUserId,
  minted,
  onClose,
}: {
  readonly minted: MintedKey
  readonly endUserId: string
  readonly about?: ReactNode
  readonly onClose: () => void
}): ReactNode {
  const { data: application, error } = useAnswer('apps.current', {})
  const { data: models } = useAnswer('models.list', { limit: 1 })
  const [client, setClient] = useState<SnippetClient>('OpenAI')
  const gateway = application && gatewayOf(application)
  const model = models?.data[0]?.name ?? 'name-of-a-model'
  const text = gateway === undefined ? undefined : clientSnippets({ gateway, key: minted.key, model })[client]
  return (
    <SecretDialog
      title={`New ${minted.livemode ? 'live' : 'test'} key`}
      about={
        <>
          <bdi>{minted.name}</bdi> spends the balance of <bdi>{endUserId}</bdi>. {about}
        </>
      }
      secret={minted.key}
      fileName=".env"
      fileText={gateway === undefined ? `API_KEY=${minted.key}\n` : keyFile({ gateway, key: minted.key })}
      onClose={onClose}
    >
      <div className="flex min-w-0 flex-col gap-3">
        <div className="overflow-x-auto">
          <Segments
            label="Client"
            value={client}
            options={snippetClients.map((one) => [one, one] as const)}
            onChange={setClient}
          />
        </div>
        {error && <FailureNote error={error} title="The gateway's address couldn't be loaded." />}
        {text === undefined ? (
          !error && <Skeleton className="h-48" />
        ) : (
          <CodeBlock
            label={`Code that calls the gateway with ${client}`}
            text={text}
            // The screen never shows the secret, but copied text contains the secret.
            shown={text.replaceAll(minted.key, maskedSecret(minted.key))}
          />
        )}
      </div>
    </SecretDialog>
  )
}
