/// The look of the report: one style sheet, for phones and screens, light and dark.
enum ReportStyle {
    /// Colours are in pairs that keep a contrast of at least 4.5 : 1 in both schemes (WCAG 2.1, 1.4.3).
    static let sheet: HTML = """
        :root{color-scheme:light dark;--ground:#fbfaf8;--card:#fff;--ink:#1d2125;--soft:#59616a;--line:#d9d6d0;
        --yes:#17653a;--yes-ground:#dff3e6;--no:#8a2434;--no-ground:#f6e9ea;--warn:#6b4c00;--warn-ground:#fbf0d0;
        --blue:#1c4f8c;--blue-ground:#e2edf9;--violet:#5b2f8a;--violet-ground:#efe6f9}
        @media (prefers-color-scheme:dark){:root{--ground:#15181b;--card:#1e2226;--ink:#e8e6e3;--soft:#a5adb6;--line:#363c43;
        --yes:#8be0ac;--yes-ground:#16392a;--no:#f5a5b0;--no-ground:#40212a;--warn:#f0cf7a;--warn-ground:#3b3013;
        --blue:#9cc8f7;--blue-ground:#1b3350;--violet:#d0b0f5;--violet-ground:#35244b}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
        body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",
        "Noto Sans","DejaVu Sans",sans-serif}
        main{max-width:68rem;margin:0 auto;padding:1.5rem 12px 3rem}
        header p,section>p,article>p,footer p{max-width:44rem}
        h1{font-size:clamp(1.5rem,5vw,2.25rem);line-height:1.2;margin:.2rem 0 1rem}
        h2{font-size:1.35rem;margin:2.5rem 0 .75rem}
        h3{font-size:1.05rem;line-height:1.4;margin:0 0 .5rem}
        p{margin:.5rem 0}
        a{color:var(--blue)}
        a:focus-visible,summary:focus-visible{outline:3px solid var(--blue);outline-offset:2px}
        code{font:.9em ui-monospace,"DejaVu Sans Mono",monospace}
        .eyebrow{color:var(--soft);font-size:.875rem;margin:0}
        .state{padding:.6rem .9rem;border-radius:8px;border-left:5px solid}
        .state.good{color:var(--yes);background:var(--yes-ground)}
        .state.bad,.differences{color:var(--no);background:var(--no-ground)}
        .differences{padding:.25rem 1rem 1rem;border-radius:8px}
        .differences h2{margin-top:1rem}
        .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse}
        .matrix{width:100%;table-layout:fixed;background:var(--card);border:1px solid var(--line);position:relative}
        .matrix thead td{width:9.5rem}
        .matrix th,.matrix td{padding:0;text-align:center;border:1px solid var(--line);font-weight:400}
        .matrix thead th{font-weight:700}
        .matrix tbody th{text-align:left;padding:.35rem .5rem;font-size:.875rem;line-height:1.3}
        .matrix tbody th span{display:inline-block}
        .matrix .group th{font-weight:700;background:var(--ground);padding:.6rem .5rem .35rem}
        .matrix a{display:block;padding:.55rem 0;text-decoration:none;color:inherit}
        .matrix thead a{color:var(--blue);text-decoration:underline}
        .matrix .yes,.key.yes{color:var(--yes);background:var(--yes-ground);font-weight:700}
        .matrix .no,.key.no{color:var(--no)}
        .warning{width:.95em;height:.95em;vertical-align:-.1em}
        .matrix .warning{display:block;margin:.1em auto 0}
        .matrix .yes.attack,.key.yes.attack{background:var(--warn-ground);color:var(--warn)}
        .matrix .differs{outline:3px solid var(--no);outline-offset:-3px}
        .key{display:inline-block;min-width:1.6em;padding:0 .25em;text-align:center;border:1px solid var(--line);border-radius:4px}
        .legend{color:var(--soft);font-size:.9rem}
        .legend .entry{display:inline-block;margin-right:1rem}
        .plain{background:var(--card)}
        .plain th,.plain td{border:1px solid var(--line);padding:.4rem .6rem;text-align:left;font-weight:400}
        .plain thead th{font-weight:700}
        .yes{color:var(--yes)} .no{color:var(--no)}
        .differs{color:var(--no)}
        article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem;margin:0 0 1rem}
        .letter{display:inline-block;min-width:1.9em;text-align:center;border-radius:6px;background:var(--ink);
        color:var(--card);margin-right:.25rem}
        .asked{color:var(--soft);font-size:.9rem}
        .asked b{color:var(--ink)}
        .tag{display:inline-flex;align-items:center;gap:.3em;border:1px solid;border-radius:99px;padding:.05em .6em;
        font-size:.8rem;line-height:1.5;white-space:nowrap}
        .tag svg{width:.95em;height:.95em;flex:none}
        .tag.pin{color:var(--violet);background:var(--violet-ground)}
        .tag.anchor{color:var(--blue);background:var(--blue-ground)}
        .tag.fault{color:var(--no);background:var(--no-ground)}
        .tag.warn{color:var(--warn);background:var(--warn-ground)}
        .tag.quiet{color:var(--soft)}
        .chain{list-style:none;display:flex;flex-direction:column;align-items:stretch;margin:.75rem 0;padding:0}
        .chain>li{display:flex;flex-direction:column;min-width:0;flex:1 1 0}
        .box{border:2px solid var(--soft);border-radius:8px;padding:.5rem .7rem;background:var(--ground);min-width:0;flex:1}
        .box.unsent{border-style:dashed}
        .box.faulty{border-color:var(--no)}
        .box p{margin:0}
        .box .fact{font-size:.8rem;color:var(--soft);overflow-wrap:anywhere}
        .box span{white-space:nowrap}
        .role{font-size:.75rem;letter-spacing:.03em;color:var(--soft)}
        .name{font-weight:700;overflow-wrap:anywhere;line-height:1.35}
        .box .digest{font:.72rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace}
        .marks{list-style:none;margin:.3rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.3rem}
        .edge{display:flex;align-items:center;gap:.5rem;color:var(--soft);font-size:.8rem;padding:.15rem .7rem;flex:none}
        .edge svg{width:1.2rem;height:1.5rem;flex:none}
        .edge.forged{color:var(--no);font-weight:700}
        .search{margin:.75rem 0;display:grid;gap:1rem;grid-template-columns:minmax(0,1fr)}
        .search .scroll{padding-bottom:.25rem}
        .graph{display:block;font-size:12px;fill:none}
        .graph svg{overflow:hidden}
        .graph text{fill:var(--ink);stroke:none}
        .graph .who{font-weight:700}
        .graph .number,.graph .whence{fill:var(--soft)}
        .node rect{fill:var(--ground);stroke:var(--soft);stroke-width:1.500}
        .node.missing rect{stroke-dasharray:2 4;fill:none}
        .node.open rect{stroke-dasharray:6 4}
        .node.refused rect{stroke:var(--no)}
        .node.refused .what{fill:var(--no)}
        .node.anchor .what,.node.fits .what{fill:var(--yes)}
        .node.path rect{stroke-width:3.500;fill:var(--card)}
        .node.path:not(.refused) rect{stroke:var(--blue)}
        .graph .edge path{stroke:var(--soft);stroke-width:1.500}
        .graph .edge.path path{stroke:var(--blue);stroke-width:4}
        .graph .edge.unsigned path{stroke:var(--no);stroke-dasharray:6 4}
        .graph .edge.missing path{stroke-dasharray:2 4}
        .graph .edge .cross{stroke-dasharray:none;stroke-width:2.500}
        .tried,.ways{margin:0;padding-left:1.4rem;font-size:.9rem}
        .tried>li{margin:0 0 .6rem}
        .tried p,.ways p{margin:0;overflow-wrap:anywhere}
        .tried ul{margin:.1rem 0;padding-left:1.1rem}
        .tried li{overflow-wrap:anywhere}
        .tried .good{color:var(--yes)} .tried .bad,.tried .fault{color:var(--no)}
        .ways li{margin:.3rem 0;overflow-wrap:anywhere}
        .lead{font-weight:700;font-size:.9rem}
        .tag.path{color:var(--blue);background:var(--blue-ground)}
        h4{font-size:.9rem;font-weight:400;color:var(--soft);margin:1rem 0 .25rem}
        .absent{margin:.75rem 0}
        .absent>p{color:var(--soft);font-size:.9rem}
        details>summary{cursor:pointer;padding:.45rem 0}
        .answers>summary{font-weight:700}
        .answers details{border-top:1px solid var(--line)}
        .answers details>summary{padding:.5rem .25rem}
        .setting{color:var(--soft)}
        .reasons{padding:0 .25rem .75rem}
        .reasons:target{outline:2px solid var(--blue);outline-offset:2px;border-radius:4px}
        .findings{list-style:none;margin:0;padding:0}
        .findings>li{border-left:3px solid var(--line);padding:.1rem 0 .1rem .8rem;margin:.7rem 0}
        .findings p{margin:.2rem 0}
        .place{color:var(--soft);font-size:.85rem}
        .findings dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.3rem 0;font-size:.875rem}
        .findings dt{color:var(--soft)} .findings dd{margin:0;overflow-wrap:anywhere;min-width:0}
        .line{display:block}
        .settings dt{font-weight:700;margin-top:1rem} .settings dd{margin:0;max-width:44rem}
        footer{margin-top:2.5rem;border-top:1px solid var(--line);color:var(--soft);font-size:.9rem}
        .chain,.absent{max-width:30rem}
        @media (min-width:760px){
        main{padding:2.5rem 24px 4rem}
        article{padding:1.25rem 1.5rem}
        .search{grid-template-columns:fit-content(60%) minmax(0,1fr);gap:2rem}
        }
        @media (min-width:1000px){
        .chain{flex-direction:row;max-width:none}
        .chain>li{flex:1 1 5.5rem;flex-direction:row;align-items:stretch;max-width:26rem}
        .chain>li:last-child{flex-basis:0}
        .edge{flex-direction:column;justify-content:center;text-align:center;width:5.5rem;padding:0 .3rem;gap:.1rem}
        .edge svg{transform:rotate(-90deg)}
        }
        @media (max-width:520px){
        .matrix thead td{width:5.6rem}
        .matrix tbody th{font-size:.72rem;padding:.3rem}
        .matrix a{padding:.6rem 0;font-size:.8rem}
        .plain{font-size:.875rem}
        .plain th,.plain td{padding:.35rem .4rem}
        }
        @media print{body{background:#fff;color:#000}.answers{display:none}article{break-inside:avoid}}
        """
}

/// Small drawings that go into the page.
enum ReportIcon {
    /// From a certificate to its issuer, pointing down.
    static let arrow: HTML = """
        <svg viewBox="0 0 16 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2">\
        <path d="M8 1v21M2 16l6 6 6-6"/></svg>
        """
    /// The same, broken.
    static let brokenArrow: HTML = """
        <svg viewBox="0 0 16 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2">\
        <path d="M8 1v5M8 18v4M2 16l6 6 6-6M3 7l10 9M13 7L3 16"/></svg>
        """
    static let pin: HTML = """
        <svg viewBox="0 0 16 16" aria-hidden="true" fill="currentColor">\
        <path d="M5 1h6v1.500l-1 1V7l2.500 2v1.500H8.700V15h-1.400v-4.500H3.500V9L6 7V3.500l-1-1z"/></svg>
        """
    static let anchor: HTML = """
        <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.600">\
        <circle cx="8" cy="3" r="1.800"/><path d="M8 5v9.500M5 7h6M2 9.500c.5 3.500 3 5 6 5s5.500-1.500 6-5"/></svg>
        """
    static let warning: HTML = """
        <svg class="warning" viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.700">\
        <path d="M8 1.800L15 14.500H1zM8 6v4.500M8 11.700v1.500"/></svg>
        """
    static let cross: HTML = """
        <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.200">\
        <path d="M3 3l10 10M13 3L3 13"/></svg>
        """
}
