import type { ReactNode } from 'react'
import { clientSnippets } from '#sdk/client-snippets.ts'
import { clientsFor, gatewayOf } from '#sdk/clients.ts'
import type { PortalModelsOutput } from '#sdk/portal.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useAnswer } from '#web/portal/response-cache.ts'
import { useModels } from '#web/portal/available-models-hook.ts'
import { Go } from '#web/portal/portal-router.tsx'
import { client } from '#web/portal/end-user-session.ts'
import { SnippetTabs } from '#web/portal/snippet-tabs.tsx'
import { PageTitle, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Row, List } from '#web/portal/ui/lists-and-rows.tsx'
import { Shown, Waiting } from '#web/portal/ui/loaded-content.tsx'
import { ratesOf } from './rates-of-model.ts'

export default function Docs(): ReactNode {
  const models = useModels()
  const keys = useAnswer('keys', () => client.portal.keys({ limit: 200 }))
  const isComing = [models, keys].some(({ error, value }) => value === undefined && error === null)
  const key = keys.value?.data.find(({ revokedAt }) => revokedAt === null) ?? null
  return (
    <>
      <PageTitle
        title="Docs"
        about="You can use any client. Change only the base URL and the API key of the client."
      />
      {isComing ? (
        <Waiting rows={8} />
      ) : (
        <Shown answer={models} what="Your models">
          {(value) => <Whole of={value} keyName={key?.name ?? null} />}
        </Shown>
      )}
    </>
  )
}

function Whole({
  keyName,
  of,
}: {
  readonly of: PortalModelsOutput
  readonly keyName: string | null
}): ReactNode {
  const gateway = gatewayOf(of)
  const [first] = of.models
  const { anthropic, openai } = clientsFor(gateway, '')
  return (
    <>
      <Part title="Base URLs">
        <List label="Base URLs">
          <Address words="OpenAI and compatible clients" url={openai.baseURL} />
          <Address words="Anthropic, Claude Code, Gemini" url={anthropic.baseURL} />
        </List>
      </Part>
      <Part title="Quick start">
        <p className="mb-3 text-ink-2">
          {keyName === null ? (
            <>
              <Go to="/keys?act=new" className="brand-text underline">
                Create a key
              </Go>{' '}
              first.
            </>
          ) : (
            <>
              Use your key <bdi className="font-medium text-ink wrap-anywhere">{keyName}</bdi>. Its secret was
              shown when you created it.
            </>
          )}
        </p>
        <SnippetTabs
          snippets={clientSnippets({
            gateway,
            key: keyName === null ? 'your key' : `the secret of ${keyName}`,
            model: first?.requestedModel ?? 'a model of your plan',
          })}
        />
      </Part>
      <Part title="Models and prices">
        {of.models.length === 0 ? (
          <p className="border-t border-line py-4 text-ink-2">
            Your plan includes no models yet. Models and their prices appear here.
          </p>
        ) : (
          <ul className="border-t border-line">
            {of.models.map(({ price, requestedModel }) => (
              <li key={requestedModel} className="border-b border-line py-3">
                <p className="flex items-center gap-1">
                  <bdi className="min-w-0 truncate font-medium" title={requestedModel}>
                    {requestedModel}
                  </bdi>
                  <CopyButton text={requestedModel} label={`Copy model name ${requestedModel}`} />
                </p>
                {price === null ? (
                  <p className="text-14 text-ink-2">
                    The price depends on which provider model handles the request.
                  </p>
                ) : (
                  <dl className="text-14">
                    {ratesOf(price).map(({ micros, per, words }) => (
                      <div key={words} className="flex flex-wrap justify-between gap-x-4">
                        <dt className="text-ink-2">{words}</dt>
                        <dd className="shrink-0">
                          <Money micros={micros} /> <span className="text-ink-2">{per}</span>
                        </dd>
                      </div>
                    ))}
                  </dl>
                )}
              </li>
            ))}
          </ul>
        )}
      </Part>
    </>
  )
}

function Address({ url, words }: { readonly words: string; readonly url: string }): ReactNode {
  return (
    <Row>
      <span className="min-w-0 flex-1">
        <span className="block text-14 text-ink-2">{words}</span>
        <code className="block text-14 wrap-anywhere">{url}</code>
      </span>
      <CopyButton text={url} label={`Copy base URL for ${words}`} />
    </Row>
  )
}
