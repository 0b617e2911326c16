/** Line icons on a grid of 20 × 20 units, drawn in the colour of the text. */
const paths = {
  inbox: 'M3 11l2.500-6h9l2.500 6v4.500H3V11zm0 0h4l1 2h4l1-2h4',
  conversation: 'M3.500 4.500h13v9h-7l-3.500 3v-3h-2.500z',
  map: 'M10 6.500a2 2 0 100-4 2 2 0 000 4zM4.500 17a2 2 0 100-4 2 2 0 000 4zM15.500 17a2 2 0 100-4 2 2 0 000 4zM9 6.500L5.500 13M11 6.500l3.500 6.500M6.500 15h7',
  friends:
    'M7 9.500a3 3 0 100-6 3 3 0 000 6zM2 16.500c0-3 2-4.500 5-4.500s5 1.500 5 4.500M13.500 9.500a2.500 2.500 0 10-1-4.800M14 12c2.500 0 4 1.500 4 4',
  subusers: 'M10 2.500l6.500 3.500v8L10 17.500 3.500 14V6zM3.500 6L10 9.500 16.500 6M10 9.500v8',
  automation: 'M10 17a7 7 0 100-14 7 7 0 000 14zM10 6v4l2.500 2',
  usage: 'M3.500 16.500h13M5.500 16.500v-5M10 16.500v-10M14.500 16.500v-7.500',
  settings:
    'M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 100-4 2 2 0 000 4zM7 16a2 2 0 100-4 2 2 0 000 4z',
  operator: 'M3.500 4h13v4.500h-13zM3.500 11.500h13V16h-13zM6 6.250h.01M6 13.750h.01',
  menu: 'M3 5.500h14M3 10h14M3 14.500h14',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
