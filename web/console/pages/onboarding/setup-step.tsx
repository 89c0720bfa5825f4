import { useId, type ReactNode } from 'react'
import type { OnboardingStep } from '#sdk/generated/types.ts'
import { classNames } from '#web/ui/class-names.ts'
import { Collected, useExtras, type Extra } from '#web/ui/extras-collected-in-sheet.tsx'
import { CheckIcon } from '#web/ui/icons.tsx'
import { Snippets } from '../../copy-as-code.tsx'
import { useNamedCall } from '../../operations/operation-input.ts'
import { Go } from '../../shell/console-links.tsx'
import { BundleStep, DefaultStep } from './bundle-and-default-bundle-steps.tsx'
import { CallStep } from './first-request-step.tsx'
import { FirstReceipt } from './first-receipt.tsx'
import { KeyStep } from './key-step.tsx'
import { ModelStep } from './model-step.tsx'
import { ProviderStep } from './provider-step.tsx'
import type { StepProps } from './setup-step-props.ts'

interface Place {
  readonly title: string
  readonly page: string
  readonly pageWords: string
}

const places: Readonly<Record<string, Place>> = {
  provider_answered: {
    title: 'Connect a provider account',
    page: '/providers',
    pageWords: 'Providers',
  },
  name_served: { title: 'Add a model with a price', page: '/models', pageWords: 'Models' },
  bundle_allows: { title: 'Create a bundle that allows the model', page: '/bundles', pageWords: 'Bundles' },
  default_bundle: { title: 'Choose the default bundle', page: '/bundles', pageWords: 'Bundles' },
  key_minted: { title: 'Create a key for an end user', page: '/keys', pageWords: 'Keys' },
  call_settled: { title: 'Send a request', page: '/requests', pageWords: 'Requests' },
}

const forms: Readonly<Record<string, (props: StepProps) => ReactNode>> = {
  provider_answered: ProviderStep,
  name_served: ModelStep,
  bundle_allows: BundleStep,
  default_bundle: DefaultStep,
  key_minted: KeyStep,
  call_settled: CallStep,
}

export function StepItem({
  application,
  isOpen,
  onDone,
  onToggle,
  place: number,
  step,
}: {
  readonly step: OnboardingStep
  readonly place: number
  readonly application: string | null
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onDone: () => void
}): ReactNode {
  const id = useId()
  const place = places[step.step] ?? { title: step.step, page: '/', pageWords: 'Overview' }
  const Form = forms[step.step]
  const isDone = step.state === 'done'
  const [codes, registry] = useExtras()
  return (
    <li className="border-t border-line last:border-b" data-step={step.step} data-state={step.state}>
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={onToggle}
          className="flex min-h-11 w-full items-center gap-3 py-2 text-left hover:bg-surface-2"
        >
          <span
            aria-hidden
            className={classNames(
              'figures inline-grid size-6 shrink-0 place-items-center rounded-full border text-12',
              isDone ? 'border-positive bg-positive-2 text-positive' : 'border-edge text-ink-2',
            )}
          >
            {isDone ? <CheckIcon className="size-4" /> : number}
          </span>
          <span className="flex-1 text-14 font-medium">{place.title}</span>
          <span className={classNames('text-13', isDone ? 'text-positive' : 'text-ink-3')}>
            {isDone ? 'Done' : 'To do'}
          </span>
        </button>
      </h2>
      <div id={id} hidden={!isOpen} className="pb-6 phone:pl-9">
        {isOpen && (
          <>
            <p className="mb-4 text-14 text-ink-2 wrap-anywhere">{step.sentence}</p>
            {isDone ? (
              <>
                <p className="text-14">
                  To view or change this part of the setup, go to <Go to={place.page}>{place.pageWords}</Go>.
                </p>
                {step.step === 'call_settled' && <FirstReceipt />}
              </>
            ) : application === null && step.step !== 'provider_answered' ? (
              <p className="text-14 text-ink-2">Create an application above first.</p>
            ) : (
              Form && (
                <Collected by={registry}>
                  <Form application={application ?? ''} onDone={onDone} />
                </Collected>
              )
            )}
            {!isDone && step.step !== 'call_settled' && <AsCode step={step} codes={codes} />}
          </>
        )}
      </div>
    </li>
  )
}

/** Without a form, the step shows the call that the server proposes. */
function AsCode({
  codes,
  step: { call },
}: {
  readonly codes: readonly Extra[]
  readonly step: OnboardingStep
}): ReactNode {
  const named = useNamedCall(call)
  if (!named && codes.length === 0) return null
  return (
    <div className="mt-6">
      <h3 className="mb-2 text-13 text-ink-3">Or use a terminal or a program</h3>
      <div className="flex flex-col gap-4">
        {codes.length > 0
          ? codes.map(({ content, name }) => <div key={name}>{content}</div>)
          : named && <Snippets operation={named.operation} input={named.input} />}
      </div>
    </div>
  )
}
