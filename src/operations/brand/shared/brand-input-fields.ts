import * as z from 'zod'
import { Email, text } from '#operations/kernel/value-and-page-schemas.ts'

/** Only one notation is accepted, so that no other text can get into a style sheet. */
const Color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a color in the form #rrggbb' })
  .toLowerCase()
  .meta({ examples: ['#2563eb'] })

const WebAddress = z
  .url({
    protocol: /^https?$/,
    hostname: z.regexes.domain,
    error: 'must be an http or https URL',
  })
  .max(512)

export const brandFields = {
  productName: text(128)
    .nullable()
    .meta({ description: 'Product name that end users see. Null means the name of the application.' }),
  primaryColor: Color.meta({ description: 'Brand color, `#rrggbb`.' }),
  supportEmail: Email.nullable().meta({
    description: 'Email address where end users get help. Null if no address is set.',
  }),
  supportUrl: WebAddress.nullable().meta({
    description: 'Web page where end users get help, http or https. Null if no page is set.',
  }),
  topUpUrl: WebAddress.nullable().meta({
    description:
      'Page where the application sells credit. The portal links to this page. Requests that are rejected for lack of money return its URL as `portalUrl`. If null, these requests return the URL of the portal.',
  }),
  payUrl: WebAddress.nullable().meta({
    description:
      'Page where end users pay invoices. Past-due invoices in the portal link to this page. Null if no page is set.',
  }),
}
