import * as z from 'zod'
import { logoTypes, type Brand } from '#domain/portal-brand.ts'
import type { Application } from '#domain/application-record.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { contrastOf } from './text-contrast-on-color.ts'

const Logo = z
  .object({
    path: z.string().meta({
      description: 'Path of the logo on the hosts of the portal and the control plane, `/brand/logo/…`.',
    }),
    mediaType: z.enum(logoTypes).meta({ description: 'Media type of the logo.' }),
    widthPx: z.int().meta({ description: 'Width, in pixels.' }),
    heightPx: z.int().meta({ description: 'Height, in pixels.' }),
  })
  .meta({ id: 'Logo', description: 'The logo of an application, without its image data.' })

const shown = {
  productName: z.string().meta({ description: 'Product name that end users see.' }),
  primaryColor: z.string().meta({ description: 'Brand color, `#rrggbb`.', examples: ['#1f2937'] }),
  textColor: z
    .string()
    .meta({ description: 'Text color with the most contrast on the brand color, `#rrggbb`.' }),
  supportEmail: z
    .string()
    .nullable()
    .meta({ description: 'Email address where end users get help. Null if no address is set.' }),
  supportUrl: z
    .string()
    .nullable()
    .meta({ description: 'Web page where end users get help. Null if no page is set.' }),
  topUpUrl: z
    .string()
    .nullable()
    .meta({ description: 'Page where the application sells credit. Null if no page is set.' }),
  payUrl: z
    .string()
    .nullable()
    .meta({ description: 'Page where end users pay invoices. Null if no page is set.' }),
  logo: Logo.nullable().meta({ description: 'Logo of the application. Null if no logo is set.' }),
}

export const PublicBrand = z
  .object(shown)
  .meta({ id: 'PortalBrand', description: 'The brand of an end-user portal.' })

export const BrandView = z
  .object({
    ...shown,
    contrast: z
      .object({
        white: z
          .number()
          .meta({ description: 'Contrast ratio of the brand color to white, 1 to 21 (WCAG 2.2).' }),
        black: z
          .number()
          .meta({ description: 'Contrast ratio of the brand color to black, 1 to 21 (WCAG 2.2).' }),
        warning: z.string().nullable().meta({
          description:
            'Warning that text in the brand color is hard to read. Null if the contrast to white is at least 4.5:1.',
        }),
      })
      .meta({ description: 'Readability of the brand color.' }),
  })
  .meta({ id: 'Brand', description: 'The brand of the portal, with the readability of its color.' })

/** @param hash SHA-256 of the logo's bytes, lower-case hex */
export function logoPath(hash: string): string {
  return `/brand/logo/${hash}`
}

export function publicBrand(
  { logo, payUrl, primaryColor, productName, supportEmail, supportUrl, topUpUrl }: Brand,
  { name }: Pick<Application, 'name'>,
): z.output<typeof PublicBrand> {
  return {
    productName: productName ?? name,
    primaryColor,
    textColor: contrastOf(primaryColor).textColor,
    supportEmail,
    supportUrl,
    topUpUrl,
    payUrl,
    logo: logo && {
      path: logoPath(logo.hash),
      mediaType: logo.mediaType,
      widthPx: logo.widthPx,
      heightPx: logo.heightPx,
    },
  }
}

export async function brandView({ application, store }: InApplication): Promise<z.output<typeof BrandView>> {
  const brand = await store.brands.of(application.id)
  const { black, warning, white } = contrastOf(brand.primaryColor)
  return { ...publicBrand(brand, application), contrast: { white, black, warning } }
}

export async function brandState({ application, store }: InApplication): Promise<object> {
  const brand = await store.brands.of(application.id)
  const { productName } = brand
  return { ...publicBrand(brand, application), productName }
}
