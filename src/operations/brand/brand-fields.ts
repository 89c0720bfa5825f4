import * as z from 'zod'
import { Email, text } from '#operations/schemas.ts'

/** Accept one notation only, so that no other text can reach a style sheet. */
const Color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a colour as #rrggbb' })
  .toLowerCase()
  .meta({ examples: ['#2563eb'] })

const WebAddress = z
  .url({
    protocol: /^https?$/,
    hostname: z.regexes.domain,
    error: 'must be an address of the web, https://…',
  })
  .max(512)

/** The fields of a brand that the customer sets. The logo is uploaded separately. */
export const brandFields = {
  productName: text(128)
    .nullable()
    .meta({ description: 'What people know the product as; null: the name of the application.' }),
  primaryColor: Color.meta({ description: 'The colour of the brand, `#rrggbb`.' }),
  supportEmail: Email.nullable().meta({ description: 'Where people ask for help; null: not said.' }),
  supportUrl: WebAddress.nullable().meta({
    description: 'The same as an address of a page, http or https; null: not said.',
  }),
  topUpUrl: WebAddress.nullable().meta({
    description:
      'The page where the application sells credit. Refusals for money return it as `portalUrl`, and the portal links to it. Null means the portal.',
  }),
  payUrl: WebAddress.nullable().meta({
    description:
      'The page where end users pay invoices. The portal links past-due invoices to it. Null means none.',
  }),
}
