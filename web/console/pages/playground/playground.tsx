import { useState, type ReactNode } from 'react'
import { codeLanguages, requestCode, type Asked, type CodeLanguage, type Wire } from '#sdk/client-snippets.ts'
import { gatewayOf } from '#sdk/clients.ts'
import { Button } from '#web/ui/button.tsx'
import { Segments } from '#web/ui/tabs-segments-and-switch.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import {
  CheckField,
  Field,
  FormBody,
  inputClass,
  TextAreaField,
  TextField,
  useForm,
  type Form,
} from '#web/ui/form.tsx'
import { PageHead, Section } from '#web/ui/page-head-and-sections.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { useNames } from '../../name-suggestions.ts'
import { useScope } from '../../application-and-mode.ts'
import { keepKey, keptKey } from '../../sign-in/keys-in-memory.ts'
import { useSearchText } from '../../url-parameters.ts'
import { CallResult } from './response-and-charge.tsx'
import { directives, withDirective } from './simulator-directives.ts'
import { isTestKey, keyFault } from './key-of-end-user.ts'
import { MintKey } from './create-test-key.tsx'
import { useRun } from './follow-running-request.ts'
import { wires } from './text-and-errors-in-responses.ts'

export default function Playground(): ReactNode {
  const scope = useScope()
  const names = useNames()
  const [linked] = useSearchText('model')
  const gateway = useAnswer('gateway.show', {})
  const address = gateway.data && gatewayOf(gateway.data)
  const place = `${scope.app ?? ''} ${scope.mode}`
  const [key, setKey] = useState(() => keptKey(place))
  const [isKeyLeft, setKeyLeft] = useState(false)
  const run = useRun({ app: scope.app, mode: isTestKey(key) ? 'test' : scope.mode })
  const form = useForm<Values>({
    // A linked model overrides the saved draft.
    draft: linked === null ? 'playground' : `playground ${linked}`,
    initial: { wire: 'chat', model: linked ?? '', prompt: 'Say hello.', maxTokens: '300', isStreamed: true },
    check: ({ maxTokens, model, prompt }) => ({
      ...(model.trim() === '' && names.length === 0 && { model: 'Enter a model.' }),
      ...(prompt.trim() === '' && { prompt: 'Enter a prompt.' }),
      ...(!/^[1-9]\d{0,6}$/.test(maxTokens) && { maxTokens: 'Enter a whole number from 1 to 9,999,999.' }),
    }),
    // The form can be used for another request in the meantime.
    send: async (values) => {
      setKeyLeft(true)
      if (keyFault(key) !== undefined || address === undefined) return
      void run.start({ asked: askedOf(values, names), gateway: address, key: key.trim() })
    },
  })
  const takeKey = (next: string): void => {
    keepKey(place, next)
    setKey(next)
  }
  const isTest = scope.mode === 'test' || isTestKey(key)
  return (
    <>
      <PageHead
        title="Playground"
        about="Send a request from this browser to your gateway as an end user would. The page shows the hold, the response and the charge."
      />
      {gateway.error !== null && (
        <FailureNote
          error={gateway.error}
          title="The gateway's address couldn't be loaded."
          onRetry={() => void gateway.refetch()}
        />
      )}
      <div className="grid gap-x-12 gap-y-8 tablet:grid-cols-2">
        <div className="min-w-0">
          <FormBody form={form} action="Send request" isDisabled={run.isRunning}>
            <Segments
              label="Wire"
              value={form.values.wire as Wire}
              options={wires}
              onChange={(wire) => form.set('wire', wire)}
            />
            <TextField
              form={form}
              name="model"
              label="Model"
              suggestions={names}
              placeholder={names[0]}
              help={
                form.values.model === '' && names[0] !== undefined
                  ? `Defaults to ${names[0]}.`
                  : 'The model name that end users request.'
              }
            />
            <KeyField
              value={key}
              onChange={takeKey}
              fault={isKeyLeft ? keyFault(key) : undefined}
              onLeave={() => setKeyLeft(key !== '')}
            />
            <div>
              <MintKey
                onMinted={(minted) => {
                  takeKey(minted)
                  setKeyLeft(true)
                }}
              />
            </div>
            <TextAreaField form={form} name="prompt" label="Prompt" rows={5} />
            {isTest && <Directives form={form} />}
            <div className="grid grid-cols-2 items-end gap-4">
              <TextField form={form} name="maxTokens" label="Maximum output tokens" inputMode="numeric" />
              <CheckField form={form} name="isStreamed" label="Stream the response" />
            </div>
          </FormBody>
          {run.isRunning && (
            <Button className="mt-2" kind="danger" onClick={run.stop}>
              Stop request
            </Button>
          )}
        </div>
        <CallResult run={run} scope={{ app: scope.app, mode: isTestKey(key) ? 'test' : scope.mode }} />
      </div>
      {address !== undefined && <Code asked={askedOf(form.values, names)} gateway={address} />}
    </>
  )
}

type Values = {
  readonly wire: string
  readonly model: string
  readonly prompt: string
  readonly maxTokens: string
  readonly isStreamed: boolean
}

function askedOf({ isStreamed, maxTokens, model, prompt, wire }: Values, names: readonly string[]): Asked {
  return {
    wire: wires.find(([one]) => one === wire)?.[0] ?? 'chat',
    model: model.trim() || (names[0] ?? ''),
    prompt,
    maxTokens: Number(maxTokens) || 1,
    isStreamed,
  }
}

/** The secret is neither stored in the browser nor displayed. */
function KeyField({
  fault,
  onChange,
  onLeave,
  value,
}: {
  readonly value: string
  readonly fault: string | undefined
  readonly onChange: (value: string) => void
  readonly onLeave: () => void
}): ReactNode {
  const help = isTestKey(value)
    ? 'This is a test key. Requests never reach a provider.'
    : value.startsWith('ak_')
      ? 'This is a live key. The request costs real money.'
      : 'Key of an end user. The key is kept only in memory on this page.'
  return (
    <Field label="Key" help={help} fault={fault}>
      {(control) => (
        <input
          {...control}
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="ak_…"
          className={inputClass}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onLeave}
        />
      )}
    </Field>
  )
}

function Directives({ form }: { readonly form: Form<Values> }): ReactNode {
  const { prompt } = form.values
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="mb-1 text-13 font-medium">Simulator directives</legend>
      <div className="flex flex-wrap gap-1.5">
        {directives.map(([directive, about]) => (
          <button
            key={directive}
            type="button"
            title={about}
            aria-pressed={prompt.includes(directive)}
            onClick={() => form.set('prompt', withDirective(prompt, directive))}
            className="min-h-7 rounded border border-edge px-2 font-mono text-12 hover:bg-surface-2 aria-pressed:border-test aria-pressed:bg-test-2"
          >
            {directive}
          </button>
        ))}
      </div>
      <p className="mt-1 text-13 text-ink-3">
        In test mode, a simulator responds. Text in double brackets controls the simulator.
      </p>
    </fieldset>
  )
}

function Code({ asked, gateway }: { readonly asked: Asked; readonly gateway: string }): ReactNode {
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  return (
    <Section
      className="mt-12"
      title="Send the request from code"
      about="This code uses the official client and reads the key from API_KEY."
      action={<Segments label="Language" value={language} options={codeLanguages} onChange={setLanguage} />}
    >
      <CodeBlock
        label={`This request in ${language}`}
        text={requestCode(language, asked, { gateway, key: null })}
      />
    </Section>
  )
}
