/** Whether it is a picture that a browser shows without running anything in it. */
export const isPicture = (mediaType: string): boolean =>
  /^image\/(?:png|jpeg|gif|webp|avif)$/i.test(mediaType);
