/** The few icons of the page, drawn with the colour of the text around them. */

const PATHS = {
  send: "M12 19V5M5 12l7-7 7 7",
  stop: "M7 7h10v10H7z",
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM20 20l-4-4",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v10H9zM5 15V5h10",
  check: "M5 12.500l4.500 4.500L19 7.500",
  cross: "M7 7l10 10M17 7L7 17",
  chevron: "M9 6l6 6-6 6",
  clip: "M20 11l-8.500 8.500a5 5 0 0 1-7-7L13 4a3.300 3.300 0 0 1 4.700 4.700l-8.500 8.500a1.700 1.700 0 0 1-2.400-2.400L14.500 7",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  again: "M4 12a8 8 0 1 1 2.500 5.800M4 20v-5h5",
  fork: "M7 4v6a4 4 0 0 0 4 4h6M17 10l4 4-4 4M7 10v10",
  back: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  down: "M12 5v14M5 12l7 7 7-7",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM4 12h2M18 12h2M12 4v2M12 18v2M6.300 6.300l1.500 1.500M16.200 16.200l1.500 1.500M6.300 17.700l1.500-1.500M16.200 7.800l1.500-1.500",
  more: "M6 12h.010M12 12h.010M18 12h.010",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
