import type { ReactNode } from 'react'
import { exactDollars } from '#explain/amounts-in-explanation-text.ts'
import type { types } from '#sdk/portal.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { Duration, Money } from '#web/ui/formatted-values.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { countText, exactTimeText } from '#web/ui/number-text.ts'
import { useAccount } from '#web/portal/account-and-plan-hooks.ts'
import { useAnswer } from '#web/portal/response-cache.ts'
import { CallState } from '#web/portal/request-rows.tsx'
import { Go } from '#web/portal/portal-router.tsx'
import { client, isCode } from '#web/portal/end-user-session.ts'
import { useSourceWords, type NamedSource } from '#web/portal/payment-source-words.ts'
import { BigMoney } from '#web/portal/ui/big-money.tsx'
import { Fact } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown, Waiting } from '#web/portal/ui/loaded-content.tsx'
import { dayText } from '#web/portal/time-and-count-text.ts'
import { correctionWords, creditsText, lineWords, whyOf } from './receipt-in-words.ts'

type Call = types.EndUserRequest

export default function Receipt({ id }: { readonly id: string }): ReactNode {
  const answer = useAnswer(`request ${id}`, () => client.portal.request({ id }))
  const keys = useAnswer('keys', () => client.portal.keys({ limit: 200 }))
  // If a pool belongs to another plan, the receipt names that plan.
  const account = useAccount()
  const isNone = isCode(answer.error, 'not_found')
  const isComing = [answer, keys, account].some(({ error, value }) => value === undefined && error === null)
  return (
    <>
      <PageTitle
        title="Receipt"
        back={{ to: '/activity', words: 'Activity' }}
        {...(isNone && { about: 'You have no request with this ID.' })}
      />
      {isComing ? (
        <Waiting rows={6} />
      ) : (
        !isNone && (
          <Shown answer={answer} what="This receipt">
            {(call) => (
              <Whole call={call} keyName={keys.value?.data.find((key) => key.id === call.keyId) ?? null} />
            )}
          </Shown>
        )
      )}
    </>
  )
}

function Whole({
  call,
  keyName,
}: {
  readonly call: Call
  readonly keyName: types.PortalKey | null
}): ReactNode {
  const isCharged = call.status === 'settled' || call.status === 'recovered'
  const why = whyOf(call)
  return (
    <>
      <div className="mb-6">
        <p className="wrap-anywhere">
          <bdi className="font-medium">{call.requestedModel ?? 'No model'}</bdi>
        </p>
        <p>
          {call.status === 'in_flight' ? (
            <span className="text-28 font-semibold">Running</span>
          ) : (
            <BigMoney micros={isCharged ? call.chargeMicros : '0'} isLargest />
          )}
        </p>
        <p className="mt-1 flex flex-wrap gap-x-3 text-ink-2">
          <CallState status={call.status} />
          <time dateTime={call.createdAt}>{exactTimeText(call.createdAt)}</time>
        </p>
      </div>
      {why && <Because why={why} isCharged={isCharged} />}
      {call.priceLines.map((price) => (
        <Lines key={price.price} price={price} charge={call.chargeMicros} />
      ))}
      <Paid call={call} />
      <Corrections call={call} />
      <Part title="Request details">
        <dl className="border-t border-line">
          {call.keyId !== null && (
            <Fact name="Key">
              {keyName === null ? (
                <code className="text-13">{call.keyId}</code>
              ) : (
                <>
                  <bdi>{keyName.name}</bdi> <span className="text-ink-2">…{keyName.lastFour}</span>
                </>
              )}
            </Fact>
          )}
          {isCharged && (
            <Fact name="Tokens">
              {countText(call.inputTokens)} in, {countText(call.outputTokens)} out
            </Fact>
          )}
          {call.latencyMs !== null && (
            <Fact name="Duration">
              <Duration ms={call.latencyMs} />
            </Fact>
          )}
          <Fact name="Request ID">
            <span className="inline-flex max-w-full items-center gap-1">
              <code className="text-13 wrap-anywhere">{call.id}</code>
              <CopyButton text={call.id} label="Copy request ID" />
            </span>
          </Fact>
        </dl>
        <p className="mt-2 text-14 text-ink-2">
          Include the request ID if you contact support about this request.
        </p>
      </Part>
    </>
  )
}

function Corrections({ call: { corrections } }: { readonly call: Call }): ReactNode {
  if (corrections.length === 0) return null
  return (
    <Part title="Corrections">
      <dl className="border-t border-line" data-corrections>
        {corrections.map(({ chargeMicros, createdAt, id, kind, reason }) => (
          <Fact key={id} name={correctionWords(kind, chargeMicros)}>
            <Money micros={chargeMicros.replace('-', '')} />
            <span className="text-ink-2">
              {' '}
              · {dayText(createdAt)}
              {kind === 'refund' && (
                <>
                  {' '}
                  · <bdi>{reason}</bdi>
                </>
              )}
            </span>
          </Fact>
        ))}
      </dl>
    </Part>
  )
}

function Because({
  isCharged,
  why: { helps, title, why },
}: {
  readonly why: NonNullable<ReturnType<typeof whyOf>>
  readonly isCharged: boolean
}): ReactNode {
  return (
    <div className="mb-8" data-why>
      <Note tone={isCharged ? 'held' : 'negative'} title={title}>
        {why.map((sentence) => (
          <p key={sentence} className="wrap-anywhere">
            {sentence}
          </p>
        ))}
        {!isCharged && <p>You were not charged.</p>}
        {helps.length > 0 && (
          <ul className="mt-1">
            {helps.map(({ to, words }) => (
              <li key={words} className="flex min-h-12 items-center">
                {to === null ? (
                  words
                ) : to.startsWith('https://') || to.startsWith('http://') ? (
                  <a className="brand-text flex min-h-12 items-center underline" href={to} rel="noreferrer">
                    {words}
                  </a>
                ) : (
                  <Go to={to} className="brand-text flex min-h-12 items-center underline">
                    {words}
                  </Go>
                )}
              </li>
            ))}
          </ul>
        )}
      </Note>
    </div>
  )
}

function Lines({
  charge,
  price: { amount, lines, multiplier, price },
}: {
  readonly price: Call['priceLines'][number]
  readonly charge: string
}): ReactNode {
  const unit = price === 'credits' ? 'credits' : 'charge'
  const textOf = (exact: string): string =>
    unit === 'credits'
      ? `${exactDollars(exact, moneyText).replace('$', '')} credits`
      : exactDollars(exact, moneyText)
  return (
    <Part title={unit === 'credits' ? 'Credits' : 'Price breakdown'}>
      <ul className="border-t border-line" data-lines={unit}>
        {lines
          .filter(({ units }) => units > 0)
          .map((line) => (
            <li
              key={line.dimension}
              className="flex min-h-12 items-center justify-between gap-4 border-b border-line py-2"
            >
              <span className="figures text-ink-2">{lineWords(line, unit)}</span>
              <span className="figures shrink-0">{textOf(line.exact)}</span>
            </li>
          ))}
        {multiplier !== '1000' && (
          <li className="flex min-h-12 items-center border-b border-line text-ink-2">
            The service tier multiplies each price except fees of tools by {Number(multiplier) / 1000}
          </li>
        )}
        <li className="flex min-h-12 items-center justify-between gap-4 border-b border-line py-2 font-semibold">
          <span>Total, rounded up</span>
          {unit === 'credits' ? (
            <span className="figures">{creditsText(amount)}</span>
          ) : (
            <Money micros={amount} />
          )}
        </li>
      </ul>
      {unit === 'charge' && amount !== charge && (
        <p className="mt-2 text-14 text-ink-2">
          You were charged <Money micros={charge} />. A charge never exceeds the amount held for the request,
          and usage paid with plan credits is not charged again.
        </p>
      )}
    </Part>
  )
}

function Paid({ call: { ledger, reserve, settle } }: { readonly call: Call }): ReactNode {
  const sourceWords = useSourceWords()
  const legs = settle?.legs ?? []
  const held = reserve?.worstMicros
  // The entries of the request have the display names of its sources.
  const named = (source: string): NamedSource => ledger.find((entry) => entry.source === source) ?? { source }
  if (legs.length === 0 && !held) return null
  return (
    <Part title="Paid from">
      <dl className="border-t border-line">
        {legs.map(({ amount, sourceId, unit }) => (
          <Fact key={sourceId} name={sourceWords(named(sourceId ?? 'wallet'))}>
            {unit === 'credits' ? creditsText(amount ?? '0') : <Money micros={amount} />}
          </Fact>
        ))}
        {held && (
          <Fact name={settle ? 'Held during the request' : 'Held until the request ends'}>
            <Money micros={held} />
          </Fact>
        )}
        {settle?.releasedMicros && settle.releasedMicros !== '0' && (
          <Fact name="Released after the request">
            <Money micros={settle.releasedMicros} />
          </Fact>
        )}
      </dl>
    </Part>
  )
}
