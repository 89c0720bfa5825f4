import type { ReactNode } from 'react'
import { Meter } from '#web/ui/charts/limit-meter.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { sentenceOf } from '#web/ui/failure.tsx'
import { Figure } from '#web/ui/page-head-and-sections.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { countText, durationText } from '#web/ui/number-text.ts'
import { Note, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Duration, Money, Nothing } from '#web/ui/formatted-values.tsx'
import type { Scope } from '../../application-and-mode.ts'
import { Go } from '../../shell/console-links.tsx'
import { runningCharge } from './running-charge.ts'
import type { Run } from './follow-running-request.ts'

export function CallResult({
  run: { isRunning, progress, told },
  scope,
}: {
  readonly run: Run
  /** Requests that are sent with the key are listed in this application and mode. */
  readonly scope: Scope
}): ReactNode {
  if (progress === null)
    return (
      <div className="self-start border-y border-line py-8 text-ink-2">
        <p className="text-16 font-medium text-ink">The response appears here</p>
        <p className="mt-1">You also see the amount held, the charge, and an explanation.</p>
      </div>
    )
  const { error, fault, firstTokenMs, kind, requestId, status, text, totalMs } = progress
  const hasEnded = told !== undefined && told.status !== 'in_flight'
  const isCharged = hasEnded && told.settle !== null
  const held = told?.reserve?.worstMicros ?? null
  const running = told ? runningCharge(told, text.length) : null
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <p role="status" className="text-14">
        <State {...words(kind, status)} />
      </p>
      <div className="grid grid-cols-2 gap-4 border-y border-line py-4 phone:grid-cols-4" data-meter>
        <Figure name="Held" value={<Money micros={held} reason={hasEnded ? 'No hold' : 'Not known yet'} />} />
        <Figure
          name={running ? 'Estimated charge' : 'Charged'}
          value={
            running ? (
              <span data-running>
                <Money micros={running.micros} />
              </span>
            ) : isCharged ? (
              <Money micros={told.chargeMicros} />
            ) : (
              <Nothing reason={hasEnded ? 'No charge' : 'Not settled yet'} />
            )
          }
        />
        <Figure name="First token" value={<Duration ms={firstTokenMs} reason="No output token yet" />} />
        <Figure
          name={hasEnded ? 'Output tokens' : 'Characters received'}
          value={<span className="figures">{countText(hasEnded ? told.outputTokens : text.length)}</span>}
        />
      </div>
      {held !== null && (running ?? isCharged) && (
        <Meter
          label={running ? 'Estimated charge compared with the hold' : 'Charge compared with the hold'}
          used={running ? running.micros : BigInt(told?.chargeMicros ?? '0')}
          held={0n}
          limit={BigInt(held)}
          format={moneyText}
          note={
            running
              ? `about ${countText(running.inputTokens)} input and ${countText(running.outputTokens)} output tokens; the charge is calculated at the end`
              : 'the rest of the hold was released'
          }
        />
      )}
      {fault !== null && (
        <div role="alert">
          <Note
            tone="negative"
            title={
              status === null || status < 400
                ? 'The response failed midway'
                : `The gateway returned ${status}`
            }
          >
            <p className="wrap-anywhere">
              <bdi>{fault.message}</bdi>
            </p>
          </Note>
        </div>
      )}
      {fault === null && kind === 'failed' && (
        <div role="alert">
          <Note
            tone="negative"
            title={
              status === null
                ? "The gateway can't be reached from this browser"
                : 'The response was interrupted'
            }
          >
            {error instanceof TypeError
              ? 'Check that the address of the gateway resolves on this computer, and that no proxy or browser extension blocks the address.'
              : error !== null && sentenceOf(error)}
          </Note>
        </div>
      )}
      {text !== '' && (
        <div
          className="max-h-96 overflow-y-auto rounded border border-line p-3 whitespace-pre-wrap wrap-anywhere"
          tabIndex={0}
          role="region"
          aria-label="Response"
          dir="auto"
        >
          {text}
        </div>
      )}
      {fault !== null && <CodeBlock label="Error response" text={JSON.stringify(fault.document, null, 2)} />}
      {!isRunning && requestId !== null && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13 text-ink-2">
          <Go
            to="/requests/$id"
            params={{ id: requestId }}
            search={{ mode: scope.mode, ...(scope.app !== null && { app: scope.app }) }}
          >
            Explain this charge
          </Go>
          {totalMs !== null && <span>Duration: {durationText(totalMs)}</span>}
          <code>{requestId}</code>
        </p>
      )}
    </div>
  )
}

function words(
  kind: 'sending' | 'answering' | 'done' | 'stopped' | 'failed',
  status: number | null,
): Parameters<typeof State>[0] {
  switch (kind) {
    case 'sending':
      return { tone: 'held', words: 'Sent, waiting for the response' }
    case 'answering':
      return { tone: 'held', words: 'Receiving the response' }
    case 'done':
      return { tone: 'positive', words: `Returned ${status ?? ''}` }
    case 'stopped':
      return {
        tone: 'neutral',
        words: 'Stopped: the gateway treats the request as if the client had disconnected',
      }
    case 'failed':
      return { tone: 'negative', words: status === null ? 'Not sent' : `Failed, ${status}` }
    default:
      return kind satisfies never
  }
}
