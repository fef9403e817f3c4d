namespace LoadTesting.Core.Reporting.Html;

/// <summary>The style sheet of the page. System fonts and two palettes; nothing is fetched.</summary>
internal static class HtmlStyle
{
    public const string Sheet = """

        :root {
          color-scheme: light dark;
          --ground: #fcfcfa; --raised: #ffffff; --ink: #20242a; --soft: #626a74; --faint: #8b949e; --line: #e4e6e8; --band: #f4f5f4;
          --mark: #2c6e91; --mark-mid: #8fb9cd; --mark-thin: #b9c3ca;
          --c1: #b0622a; --c2: #5b8c3e; --c3: #8a5aa3; --c4: #8f6d14; --c5: #2f857d;
          --good: #1f7048; --good-ground: #e6f3ec; --bad: #ae2a20; --bad-ground: #fbeae8; --unsure: #855700; --unsure-ground: #fbf1dc;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #15181b; --raised: #1b1f23; --ink: #e2e6ea; --soft: #9aa4ae; --faint: #76818c; --line: #2c3238; --band: #20252a;
            --mark: #6fb3d3; --mark-mid: #3d6f87; --mark-thin: #4a545d;
            --c1: #dd9561; --c2: #93c474; --c3: #bf93d6; --c4: #dcbd62; --c5: #74c9c0;
            --good: #74c79a; --good-ground: #1b3327; --bad: #f28d84; --bad-ground: #3b2220; --unsure: #e2b562; --unsure-ground: #372c17;
          }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body { margin: 0; background: var(--ground); color: var(--ink);
          font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
        main { max-width: 1180px; margin: 0 auto; padding: 40px 28px 72px; }
        h1 { font-size: 27px; line-height: 1.25; font-weight: 600; letter-spacing: -0.01em; margin: 0 0 6px; }
        h2 { font-size: 18px; line-height: 1.3; font-weight: 600; margin: 0 0 10px; }
        p { margin: 0 0 12px; max-width: 78ch; }
        a { color: var(--mark); text-underline-offset: 2px; }
        code { font: 13px/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
        section { margin-top: 44px; }
        .about, .quiet { color: var(--soft); }
        .about { max-width: none; }
        .quiet { font-size: 13.5px; }
        .headlines { list-style: none; margin: 22px 0 16px; padding: 0; display: grid; gap: 10px; }
        .headlines li { background: var(--raised); border: 1px solid var(--line); border-left: 4px solid var(--faint); border-radius: 4px;
          padding: 12px 16px; overflow-wrap: anywhere; }
        .headlines li.good { border-left-color: var(--good); }
        .headlines li.bad { border-left-color: var(--bad); }
        .headlines li.unsure { border-left-color: var(--unsure); }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(190px, 44%), 1fr)); gap: 10px;
          margin: 18px 0 0; max-width: none; }
        .tiles > div { background: var(--raised); border: 1px solid var(--line); border-left: 4px solid var(--faint);
          border-radius: 4px; padding: 9px 14px; overflow-wrap: anywhere; }
        .tiles > .good { border-left-color: var(--good); } .tiles > .bad { border-left-color: var(--bad); }
        .tiles > .unsure { border-left-color: var(--unsure); }
        .tiles dt, .tiles dd { margin: 0; font-size: 12.5px; line-height: 1.4; font-weight: 400; color: var(--soft); }
        .tiles .value { font-size: 19px; font-weight: 600; color: var(--ink); font-variant-numeric: tabular-nums; }
        .filter { margin: 0 0 8px; } .filter input { font: inherit; color: var(--ink); background: var(--raised);
          border: 1px solid var(--faint); border-radius: 4px; padding: 3px 8px; margin: 0 10px 0 4px; width: 220px; }
        .sort { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; text-align: inherit; }
        [aria-sort="ascending"] .sort::before { content: "\25B4 "; } [aria-sort="descending"] .sort::before { content: "\25BE "; }
        .spark svg { display: block; width: 150px; height: 28px; } .spark .bar { height: 12px; }
        .baseline .unit { white-space: nowrap; }
        .spark .curve { vector-effect: non-scaling-stroke; }
        #scenarios > .scroll > table > tbody > tr > th { min-width: 230px; overflow-wrap: anywhere; }
        #scenarios > .scroll > table > tbody > tr > * { vertical-align: middle; }
        th .reason { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; font-size: 12.5px; }
        .inside { display: none; scroll-margin-top: 64px; } .inside:target:not([hidden]) { display: table-row; }
        .inside > td { padding: 14px; background: var(--ground); }
        tr:has(+ .inside:target) > * { background: var(--band); }
        .scenario-body { contain: inline-size; }
        .scenario-head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 4px 16px; margin-bottom: 8px; }
        .scenario-head h3 { margin: 0; }
        .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(330px, 100%), 1fr)); gap: 0 14px; align-items: start; }
        .facts tbody > tr > th { min-width: 0; }
        nav {
            display: flex; flex-wrap: wrap; gap: 4px 18px; margin-top: 20px; padding: 10px 0;
            border-block: 1px solid var(--line); font-size: 13.5px;
        }
        nav a { text-decoration: none; }
        nav a:hover { text-decoration: underline; }
        .scroll { overflow-x: auto; margin: 0 0 14px; border: 1px solid var(--line); border-radius: 4px; background: var(--raised); }
        .scroll:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
        table { border-collapse: collapse; width: 100%; font-size: 13.5px; line-height: 1.4; }
        caption { text-align: left; color: var(--soft); font-size: 12.5px; padding: 8px 12px 6px; }
        th, td { padding: 6px 12px; text-align: left; vertical-align: baseline; }
        thead th { color: var(--soft); font-weight: 500; font-size: 12.5px; border-bottom: 1px solid var(--line); vertical-align: bottom; }
        thead th.number { white-space: nowrap; }
        tbody > tr > th { font-weight: 400; min-width: 150px; text-wrap: balance; }
        tbody tr + tr > * { border-top: 1px solid var(--line); }
        tbody tr.detail > *, tbody tr.part > * { border-top: 0; }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .line { white-space: nowrap; }
        .number.wrap { white-space: normal; }
        .nothing { color: var(--soft); }
        .unit { display: block; font-weight: 400; color: var(--soft); font-size: 11.5px; }
        .fact { width: 230px; }
        .group th { background: var(--band); font-weight: 600; }
        .remark { font-weight: 400; color: var(--soft); margin-left: 10px; }
        .detail td { padding-top: 0; font-size: 13px; }
        .detail.bad td { color: var(--bad); }
        .detail.unsure td { color: var(--unsure); }
        .detail.note td, .detail.good td { color: var(--soft); }
        .whole th { font-weight: 500; }
        .part th { padding-left: 26px; color: var(--soft); }
        .badge { display: inline-block; padding: 1px 8px; border-radius: 9px; font-size: 12.5px; line-height: 1.45; white-space: nowrap; }
        .badge.good { color: var(--good); background: var(--good-ground); }
        .badge.bad { color: var(--bad); background: var(--bad-ground); }
        .badge.unsure { color: var(--unsure); background: var(--unsure-ground); }
        .strip { min-width: 220px; width: 30%; vertical-align: middle; }
        .strip svg { display: block; width: 100%; height: 12px; }
        .to-p50 { fill: var(--mark); }
        .to-p95 { fill: var(--mark-mid); }
        .to-max { fill: var(--mark-thin); }
        .key { margin-right: 18px; white-space: nowrap; }
        .key::before {
            content: ""; display: inline-block; width: 20px; margin-right: 7px; vertical-align: middle;
            background: var(--mark-thin); height: 2px;
        }
        .key.p50::before { background: var(--mark); height: 10px; }
        .key.p95::before { background: var(--mark-mid); height: 6px; }
        h3 { font-size: 15px; line-height: 1.35; font-weight: 600; margin: 26px 0 8px; overflow-wrap: anywhere; }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 14px 22px; margin: 0 0 14px; }
        .chart {
            margin: 0; padding: 10px 12px 2px; border: 1px solid var(--line); border-radius: 4px;
            background: var(--raised); max-width: 560px;
        }
        .chart figcaption { color: var(--soft); font-size: 12.5px; margin-bottom: 4px; overflow-wrap: anywhere; }
        .chart svg { display: block; width: 100%; height: auto; }
        .chart text { font-size: 10.5px; fill: var(--soft); font-variant-numeric: tabular-nums; }
        .chart .grid { fill: none; stroke: var(--line); }
        .chart .mark { stroke: var(--soft); stroke-dasharray: 3 3; }
        .curve { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
        .curve.c0 { stroke-width: 2.2; }
        .curve.c1 { stroke-dasharray: 8 4; } .curve.c2 { stroke-dasharray: 2 3; } .curve.c3 { stroke-dasharray: 9 3 2 3; }
        .curve.c4 { stroke-dasharray: 5 2; } .curve.c5 { stroke-dasharray: 14 4; } .curve.base { stroke-dasharray: 4 3; }
        .band { fill: var(--mark); opacity: 0.18; }
        .c0 { --series: var(--mark); } .c1 { --series: var(--c1); } .c2 { --series: var(--c2); }
        .c3 { --series: var(--c3); } .c4 { --series: var(--c4); } .c5 { --series: var(--c5); }
        .base { --series: var(--soft); }
        .comfortable { --series: var(--good); } .pressure { --series: var(--bad); }
        .curve { stroke: var(--series); }
        .dot { fill: var(--series); stroke: var(--series); stroke-width: 1.4; }
        .dot.pressure { fill: var(--raised); }
        .key.stroke::before {
          background: repeating-linear-gradient(90deg, var(--series) 0 var(--on, 20px), transparent 0 var(--off, 20px)); }
        .key.c0::before { height: 3px; } .key.c1::before { --on: 8px; --off: 12px; } .key.c2::before { --on: 2px; --off: 5px; }
        .key.c3::before {
          background: linear-gradient(
            90deg, var(--series) 0 9px, transparent 0 12px, var(--series) 0 14px, transparent 0 17px, var(--series) 0); }
        .key.c4::before { --on: 5px; --off: 7px; } .key.c5::before { --on: 14px; --off: 17px; } .key.base::before { --on: 4px; --off: 7px; }
        .key.area::before { height: 10px; background: var(--mark); opacity: 0.3; }
        .key.spot::before { width: 9px; height: 9px; border-radius: 50%; background: var(--series); }
        .key.spot.pressure::before { background: none; border: 1.5px solid var(--series); }
        .chart .key { font-size: 12.5px; white-space: normal; display: inline-block; overflow-wrap: anywhere; }
        .scenario { border: 1px solid var(--line); border-radius: 4px; background: var(--raised); margin: 0 0 10px; padding: 0 16px; }
        .scenario > summary {
          padding: 11px 0; margin: 0; display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; color: var(--ink); }
        .scenario > summary::before { content: "\25B8"; color: var(--mark); }
        .scenario[open] > summary::before { content: "\25BE"; }
        .scenario > summary::-webkit-details-marker { display: none; }
        .scenario > summary h3 { margin: 0; font-size: 14px; }
        .scenario .scroll { max-width: 100%; }
        .key-figures { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; }
        .reason { font-size: 13.5px; } .reason.bad { color: var(--bad); } .reason.unsure { color: var(--unsure); }
        .repeat { max-width: none; font-size: 13.5px; }
        .repeat code { background: var(--band); padding: 2px 6px; border-radius: 3px; }
        .over-time { margin: 14px 0; padding: 12px 14px 4px; background: var(--raised); border: 1px solid var(--line); border-radius: 4px; }
        .time-row { display: grid; grid-template-columns: 84px minmax(0, 1fr) 224px; gap: 0 10px; margin-bottom: 13px; align-items: center; }
        .time-row p { margin: 0; font-size: 12.5px; line-height: 1.35; }
        .time-name { text-align: right; }
        .time-plot {
          position: relative; height: 72px; margin-left: 44px; border-left: 1px solid var(--faint); border-bottom: 1px solid var(--line);
          background: var(--ground); }
        .tall .time-plot { height: 110px; }
        .time-plot svg { display: block; width: 100%; height: 100%; overflow: visible; }
        .time-plot .curve { vector-effect: non-scaling-stroke; }
        .time-plot span { position: absolute; right: 100%; margin-right: 5px; font-size: 10.5px; line-height: 1; color: var(--soft);
          font-variant-numeric: tabular-nums; white-space: nowrap; }
        .time-plot .tick { transform: translateY(50%); }
        .time-plot .grid { fill: none; stroke: var(--line); vector-effect: non-scaling-stroke; }
        .time-key { display: flex; flex-direction: column; color: var(--soft); overflow-wrap: anywhere; }
        .time-key .key { margin: 0; white-space: normal; }
        .axis .time-plot { height: 16px; border: 0; background: none; }
        .axis .time-plot span { top: 1px; right: auto; margin: 0; transform: translateX(-50%); }
        .axis .time-plot span:first-child { transform: none; } .axis .time-plot span:last-child { transform: translateX(-100%); }
        .time-plot .cursor, .time-plot .chosen { position: absolute; top: 0; bottom: 0; pointer-events: none; }
        .cursor { width: 0; border-left: 1px solid var(--ink); }
        .chosen { background: var(--mark); opacity: 0.18; }
        .time-plot:has(svg) { touch-action: pan-y; user-select: none; cursor: crosshair; }
        .zoomed .time-plot svg { overflow: hidden; }
        .zoomed .axis .time-plot span { transform: translateX(-50%); }
        .axis .time-plot:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
        .at { display: inline-block; min-width: 5ch; margin-left: 6px; color: var(--ink); font-variant-numeric: tabular-nums; }
        .axis .at { margin: 0; }
        .steps { margin: 2px 0 0; } .steps button { font: inherit; margin-left: 10px; }
        .stalled { fill: var(--bad); opacity: 0.22; }
        .heat { fill: var(--mark); }
        .shades { white-space: nowrap; }
        .shade { display: inline-block; width: 12px; height: 10px; background: var(--mark); } .shade.h1 { margin-left: 6px; }
        .shade.h5 { margin-right: 6px; }
        .h1 { opacity: 0.2; } .h2 { opacity: 0.4; } .h3 { opacity: 0.6; } .h4 { opacity: 0.8; }
        summary { cursor: pointer; color: var(--mark); font-size: 13.5px; margin-bottom: 10px; }
        dl { margin: 0; max-width: 82ch; }
        dt { font-weight: 600; }
        dd { margin: 0 0 12px; color: var(--soft); }
        @media (max-width: 640px) {
          main { padding: 24px 16px 48px; }
          h1 { font-size: 23px; }
          section { margin-top: 34px; }
          th, td, caption { padding: 6px 9px; }
          tbody th[scope="row"] { position: sticky; left: 0; background: var(--raised); min-width: 128px; max-width: 150px; }
          .part th[scope="row"] { padding-left: 18px; }
          .fact { width: auto; }
          .stay { position: sticky; left: 9px; display: inline-block; max-width: calc(100vw - 54px); }
          .stay .remark { display: block; margin-left: 0; }
          .wide { display: none; }
          #scenarios > .scroll > table > tbody > tr > th { min-width: 84px; max-width: none; }
          #scenarios > .scroll > table > * > tr > :not([colspan]) { padding-inline: 5px; }
          #scenarios > .scroll > table > tbody > tr > td > .badge { padding: 0 5px; font-size: 11.5px; }
          .inside > td { padding: 10px 6px; }
          .tiles { gap: 7px; } .tiles > div { padding: 7px 10px; } .tiles .value { font-size: 17px; }
          .scenario { padding: 0 10px; }
          .scenario > summary { gap: 3px 10px; }
          .key-figures { flex-basis: 100%; }
          .time-row { grid-template-columns: minmax(0, 1fr); margin-bottom: 10px; }
          .time-name { text-align: left; } .time-name .unit { display: inline; margin-left: 6px; }
          .time-key { flex-flow: row wrap; gap: 0 12px; }
        }
        @media print {
          :root {
            --ground: #fff; --raised: #fff; --ink: #000; --soft: #444; --faint: #777; --line: #ccc; --band: #f3f3f3;
            --mark: #2c6e91; --mark-mid: #8fb9cd; --mark-thin: #b9c3ca;
            --c1: #b0622a; --c2: #5b8c3e; --c3: #8a5aa3; --c4: #8f6d14; --c5: #2f857d;
            --good: #1f7048; --good-ground: #e6f3ec; --bad: #ae2a20; --bad-ground: #fbeae8; --unsure: #855700; --unsure-ground: #fbf1dc;
          }
          body, .quiet { font-size: 12px; }
          main { max-width: none; padding: 0; }
          nav, .steps, .filter { display: none; }
          .scroll { overflow: visible; }
          table, caption, thead th, .unit, .badge, .detail td { font-size: 9.5px; }
          th, td { padding: 3px 5px; }
          .chart { break-inside: avoid; }
          .group { break-after: avoid; }
          .strip { min-width: 90px; }
          tr, .headlines li { break-inside: avoid; }
          thead { display: table-header-group; }
          h2 { break-after: avoid; }
          svg rect, .dot, .badge, .key::before { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }

        """;
}
