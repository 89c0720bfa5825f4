// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of brand.set: change how the portal looks. */
export interface BrandSetInput {
  /** What people know the product as; null: the name of the application. 1 to 128 characters. */
  productName?: string | null | undefined
  /** The colour of the brand, `#rrggbb`. */
  primaryColor?: string | undefined
  /** Where people ask for help; null: not said. At most 254 characters. */
  supportEmail?: string | null | undefined
  /** The same as an address of a page, http or https; null: not said. At most 512 characters. */
  supportUrl?: string | null | undefined
  /**
   * The page where the application sells credit. Refusals for money return it as `portalUrl`, and the
   * portal links to it. Null means the portal. At most 512 characters.
   */
  topUpUrl?: string | null | undefined
  /**
   * The page where end users pay invoices. The portal links past-due invoices to it. Null means none. At
   * most 512 characters.
   */
  payUrl?: string | null | undefined
}

/** Of brand.logo: upload the logo of the portal. */
export interface BrandLogoInput {
  /** The file. */
  file: Blob | ArrayBuffer | Uint8Array
  /** Its media type; that of the Blob when left out. */
  type?: 'image/png' | 'image/jpeg' | 'image/webp' | undefined
}

/** How the portal of an application looks. */
export class Brand {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show how the portal looks. Name, colour, logo and support of the portal of the application, and how
   * well its colour is read.
   *
   * GET /v1/brand
   */
  show(input?: Record<string, never>, options?: ConditionalOptions): Call<types.Brand> {
    return this.#sender.call(
      { id: 'brand.show', method: 'GET', path: '/v1/brand' },
      input,
      options,
    )
  }

  /**
   * Change how the portal looks. Fields left out stay; null takes a field away. The answer tells how well
   * the colour is read, and warns below a contrast of 4.5:1 to white. The logo is uploaded with brand.logo.
   *
   * PATCH /v1/brand
   */
  set(input?: BrandSetInput, options?: ConditionalOptions): Call<types.Brand> {
    return this.#sender.call(
      { id: 'brand.set', method: 'PATCH', path: '/v1/brand', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Upload the logo of the portal. A PNG, JPEG or WebP file as the body, with its media type as
   * `Content-Type`: at most 512 KiB, 2000 pixels a side, and not animated. Text, positions, colour profiles
   * and every other annex are taken out of it; a picture that is turned only by its Exif data is shown as
   * it is stored. SVG is not taken: it is a document that may hold scripts and addresses, and no picture.
   *
   * POST /v1/brand/logo
   */
  logo(input: BrandLogoInput, options?: ConditionalOptions): Call<types.Brand> {
    return this.#sender.call(
      { id: 'brand.logo', method: 'POST', path: '/v1/brand/logo', body: 'file', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Remove the logo of the portal. Its address answers nothing from then on.
   *
   * DELETE /v1/brand/logo (an extension)
   * @throws ApiError not_found
   */
  removeLogo(input?: Record<string, never>, options?: CallOptions): Call<types.Brand> {
    return this.#sender.call(
      { id: 'brand.removeLogo', method: 'DELETE', path: '/v1/brand/logo' },
      input,
      options,
    )
  }
}
