import { createId } from '@daycare/api/create-id';
import sharp from 'sharp';
import type { Runtime } from '../../clients/clients';
import { upload } from '../../people/files';
import type { Person } from '../../people/people';

/** How many times each photo is sent. */
const sendsPerPhoto = 4;
/** Older photos are deleted, because uploads have a quota. */
const maxPhotos = 12;

/** The photos that a person sends, each of them several times. */
export class PhotoAlbum {
  #sent = 0;
  readonly #ids: string[] = [];

  constructor(
    private readonly runtime: Runtime,
    private readonly person: Person,
  ) {}

  /** Resolves to the id of the photo to send next. */
  async next(): Promise<string> {
    if (this.#sent++ % sendsPerPhoto === 0) await this.#add();
    return this.#ids.at(-1) ?? '';
  }

  async #add(): Promise<void> {
    const content = await takePhoto();
    const { file } = await upload(this.runtime, this.person, 'photo.jpg', content, {
      mimeType: 'image/jpeg',
    });
    this.#ids.push(file?.id ?? '');
    if (this.#ids.length <= maxPhotos) return;
    const fileId = this.#ids.shift() ?? '';
    await this.runtime.deleteFile({ requestId: createId(), fileId }, this.person.as);
  }
}

/** Creates a photo as large as those that people send from their phones; no two photos are the same. */
function takePhoto(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  const size = { width: 1_280, height: 960, channels: 3 } as const;
  return sharp({ create: { ...size, background: 'black', noise } })
    .jpeg()
    .toBuffer();
}
