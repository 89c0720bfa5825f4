import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { contrastOf } from '#operations/brand/shared/text-contrast-on-color.ts'
import type { BrandSetInput } from '#sdk/generated/brand.ts'
import type { Brand } from '#sdk/generated/types.ts'
import { Field, FormBody, inputClass, TextField, useForm } from '#web/ui/form.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { ChangedMeanwhile, type Revised } from '../../forms-with-revision.tsx'
import type { Look } from './portal-preview.tsx'

interface Values extends Record<string, string> {
  productName: string
  primaryColor: string
  supportEmail: string
  supportUrl: string
  topUpUrl: string
  payUrl: string
}

export function BrandForm({
  app,
  may,
  onSaved,
  onTyped,
  revised,
}: {
  readonly revised: Revised<Brand>
  readonly app: string
  readonly may: boolean
  readonly onTyped: (look: Partial<Look>) => void
  readonly onSaved: () => Promise<void>
}): ReactNode {
  // If another member has saved the brand since the form was opened, saving is rejected.
  const [{ ifMatch, value: stored }] = useState(revised)
  const change = useChange('brand.set')
  const form = useForm<Values>({
    draft: `brand ${app}`,
    initial: {
      productName: stored.productName,
      primaryColor: stored.primaryColor,
      supportEmail: stored.supportEmail ?? '',
      supportUrl: stored.supportUrl ?? '',
      topUpUrl: stored.topUpUrl ?? '',
      payUrl: stored.payUrl ?? '',
    },
    check: ({ payUrl, primaryColor, supportEmail, supportUrl, topUpUrl }) => ({
      ...(!isColor(primaryColor) && {
        primaryColor: 'Enter a color as # and six hexadecimal digits, like #2743c4.',
      }),
      ...(supportEmail !== '' && !supportEmail.includes('@') && { supportEmail: 'Enter an email address.' }),
      ...faultOfUrl('supportUrl', supportUrl),
      ...faultOfUrl('topUpUrl', topUpUrl),
      ...faultOfUrl('payUrl', payUrl),
    }),
    async send(values) {
      await change.mutateAsync({ ...inputOf(values, stored), ...ifMatch })
      toast('Brand saved')
      await onSaved()
    },
  })
  const { values } = form
  const tell = useEffectEvent(onTyped)
  useEffect(() => {
    tell({
      productName: values.productName.trim() === '' ? app : values.productName,
      ...(isColor(values.primaryColor) && { primaryColor: values.primaryColor.toLowerCase() }),
    })
  }, [values, app])
  return (
    <FormBody form={form} action="Save brand" busyAction="Saving" isDisabled={!may || !form.isChanged}>
      <TextField
        form={form}
        name="productName"
        label="Product name"
        help="Leave empty to use the application's name."
        maxLength={128}
        isOptional
      />
      <ColorField form={form} />
      <TextField
        form={form}
        name="supportEmail"
        label="Support email"
        type="email"
        help="End users write to this address if they need help."
        isOptional
      />
      <TextField
        form={form}
        name="supportUrl"
        label="Support page"
        type="url"
        help="If set, the portal links to this page instead of the support email."
        placeholder="https://"
        isOptional
      />
      <TextField
        form={form}
        name="topUpUrl"
        label="Top-up page"
        type="url"
        help="Page where end users buy credit. The portal and rejected requests link to this page."
        placeholder="https://"
        isOptional
      />
      <TextField
        form={form}
        name="payUrl"
        label="Payment page"
        type="url"
        help="Page where end users pay invoices. Past-due invoices in the portal link to this page."
        placeholder="https://"
        isOptional
      />
      <ChangedMeanwhile
        failure={form.failure}
        onReload={() => {
          form.reset()
          void onSaved()
        }}
      />
      <div>
        <CopyAs operation="brand.set" input={inputOf(values, stored)} />
      </div>
    </FormBody>
  )
}

function faultOfUrl(name: string, url: string): Record<string, string> {
  return url === '' || /^https?:\/\//.test(url)
    ? {}
    : { [name]: 'Enter a full URL that starts with https://.' }
}

function ColorField({ form }: { readonly form: ReturnType<typeof useForm<Values>> }): ReactNode {
  const { primaryColor } = form.values
  const contrast = isColor(primaryColor) ? contrastOf(primaryColor.toLowerCase()) : null
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Color"
        fault={form.faults.primaryColor}
        help={
          contrast &&
          `Text on this color is ${contrast.textColor === '#ffffff' ? 'white' : 'black'}. Contrast is ${contrast.white}:1 with white and ${contrast.black}:1 with black.`
        }
      >
        {(control) => (
          <span className="flex gap-2">
            <input
              type="color"
              aria-label="Pick color"
              className="h-9 w-12 shrink-0 cursor-pointer rounded border border-edge bg-surface p-1"
              value={isColor(primaryColor) ? primaryColor.toLowerCase() : '#000000'}
              onChange={(event) => form.set('primaryColor', event.target.value)}
            />
            <input
              {...control}
              className={`${inputClass} figures max-w-40 font-mono text-13`}
              value={primaryColor}
              maxLength={7}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => form.set('primaryColor', event.target.value)}
              onBlur={() => form.leave('primaryColor')}
            />
          </span>
        )}
      </Field>
      {contrast?.warning && (
        <Note tone="held" title={contrast.warning}>
          <p>
            For text, the portal darkens or lightens the color until the text is readable. The preview shows
            the result.
          </p>
        </Note>
      )}
    </div>
  )
}

function isColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}

/** If the brand has no name, the form shows the application's name, which must not be saved as the brand's name. */
function inputOf(values: Values, stored: Brand): BrandSetInput {
  const { payUrl, primaryColor, productName, supportEmail, supportUrl, topUpUrl } = values
  return {
    ...(productName !== stored.productName && {
      productName: productName.trim() === '' ? null : productName.trim(),
    }),
    ...(primaryColor.toLowerCase() !== stored.primaryColor && { primaryColor: primaryColor.toLowerCase() }),
    ...(supportEmail !== (stored.supportEmail ?? '') && {
      supportEmail: supportEmail === '' ? null : supportEmail,
    }),
    ...(supportUrl !== (stored.supportUrl ?? '') && { supportUrl: supportUrl === '' ? null : supportUrl }),
    ...(topUpUrl !== (stored.topUpUrl ?? '') && { topUpUrl: topUpUrl === '' ? null : topUpUrl }),
    ...(payUrl !== (stored.payUrl ?? '') && { payUrl: payUrl === '' ? null : payUrl }),
  }
}
