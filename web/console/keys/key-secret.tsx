import { useState, type ReactNode } from 'react'
import type { MintedKey } from '#sdk/generated/types.ts'
import { Segments } from '#web/ui/choices.tsx'
import { clientSnippets, keyFile, snippetClients } from '#web/ui/client-snippets.ts'
import { CodeBlock } from '#web/ui/copy.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { masked } from '#web/ui/masked.ts'
import { SecretDialog } from '#web/ui/secret.tsx'
import { Skeleton } from '#web/ui/state.tsx'
import { useAnswer } from '../calls.ts'

type Client = (typeof snippetClients)[number]

/** Shows a new key's secret once. */
export function KeySecret({
  about,
  endUserId,
  minted,
  onClose,
}: {
  readonly minted: MintedKey
  readonly endUserId: string
  /** Additional information about the key. */
  readonly about?: ReactNode
  readonly onClose: () => void
}): ReactNode {
  const { data: application, error } = useAnswer('apps.current', {})
  const { data: models } = useAnswer('models.list', { limit: 1 })
  const [client, setClient] = useState<Client>('OpenAI')
  const gateway = application?.localGateway ?? application?.gateway
  const model = models?.data[0]?.name ?? 'name-of-a-model'
  const textWith = (key: string): string | undefined =>
    gateway === undefined
      ? undefined
      : clientSnippets({ gateway, key, model }).find((snippet) => snippet.client === client)?.text
  const text = textWith(minted.key)
  // The secret is masked on screen, but copied text contains it.
  const maskedText = textWith(masked(minted.key))
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
        {text === undefined || maskedText === undefined ? (
          !error && <Skeleton className="h-48" />
        ) : (
          <CodeBlock label={`Calls the gateway with ${client}`} text={text} shown={maskedText} />
        )}
      </div>
    </SecretDialog>
  )
}
