namespace UnitTests.LoadTesting.Reporting;

public sealed partial class HtmlStyleTests
{
    /// <summary>WCAG 2.2, 1.4.3 and 1.4.11.</summary>
    private const double OfText = 4.5;

    private const double OfCurves = 3;

    private static readonly string[] Grounds = ["ground", "raised", "band"];

    /// <summary>Each rule that colours text, on its own ground or else on each ground of text.</summary>
    [Theory]
    [InlineData("light")]
    [InlineData("dark")]
    [InlineData("print")]
    public void Text_of_every_style_rule_has_a_contrast_of_4_5(string theme)
    {
        var colours = Colours(theme);
        var rules = Rule().Matches(HtmlStyle.Sheet + TrendStyle.Sheet)
            .Select(rule => (Name: rule.Groups[1].Value.Trim(), Body: rule.Groups[2].Value)).ToList();
        var failures = new List<string>();
        var looked = 0;
        foreach (var (name, body) in rules)
        {
            var own = Background().Match(body) is { Success: true } named ? named.Groups[1].Value : null;
            var isText = Colour().Match(body);
            var ink = isText.Success ? isText.Groups[1].Value
                : name.EndsWith("text", StringComparison.Ordinal) && Fill().Match(body) is { Success: true } fill
                    ? fill.Groups[1].Value
                : null;
            foreach (var ground in ink is null ? [] : own is null ? Grounds : [own])
            {
                looked++;
                if (Contrast(colours[ink!], colours[ground]) is var contrast && contrast < OfText)
                {
                    failures.Add($"{name}: {ink} on {ground} is {contrast:0.00}:1");
                }
            }
        }

        Assert.Empty(failures);
        Assert.InRange(looked, 40, 1000);
    }

    [Theory]
    [InlineData("light")]
    [InlineData("dark")]
    [InlineData("print")]
    public void Curves_have_a_contrast_of_three_and_different_dashes(string theme)
    {
        var colours = Colours(theme);

        string[] curves = ["mark", "c1", "c2", "c3", "c4", "c5", "good", "bad", "unsure", "soft"];
        Assert.Empty(
            from curve in curves
            from ground in Grounds
            let contrast = Contrast(colours[curve], colours[ground])
            where contrast < OfCurves
            select $"{curve} on {ground} is {contrast:0.00}:1");
        var dashes =
            Dashes().Matches(HtmlStyle.Sheet).ToDictionary(rule => rule.Groups[1].Value, rule => rule.Groups[2].Value);
        Assert.Equal(["base", "c1", "c2", "c3", "c4", "c5"], dashes.Keys.Order(StringComparer.Ordinal));
        Assert.Equal(dashes.Count, dashes.Values.Distinct().Count());
    }

    /// <summary>The palette of a theme: the dark one and that of paper replace what they name.</summary>
    private static Dictionary<string, string> Colours(string theme)
    {
        var palettes = Palette().Matches(HtmlStyle.Sheet).Select(palette => palette.Groups[1].Value).ToList();
        Assert.Equal(3, palettes.Count);
        var colours = new Dictionary<string, string>();
        var replacing = theme switch { "light" => "", "dark" => palettes[1], _ => palettes[2] };
        foreach (var variable in Variable().Matches(palettes[0]).Concat(Variable().Matches(replacing)))
        {
            colours[variable.Groups[1].Value] = variable.Groups[2].Value;
        }

        return colours;
    }

    private static double Contrast(string one, string other)
    {
        var (a, b) = (Luminance(one), Luminance(other));
        return (Math.Max(a, b) + 0.05) / (Math.Min(a, b) + 0.05);
    }

    /// <summary>Relative luminance of sRGB, as WCAG defines it.</summary>
    private static double Luminance(string colour)
    {
        var digits = colour.Length == 3 ? string.Concat(colour.Select(digit => $"{digit}{digit}")) : colour;
        double[] linear =
        [
            .. Enumerable.Range(0, 3).Select(part => Convert.ToInt32(digits.Substring(2 * part, 2), 16) / 255.0)
                .Select(value => value <= 0.04045 ? value / 12.92 : Math.Pow((value + 0.055) / 1.055, 2.4)),
        ];
        return (0.2126 * linear[0]) + (0.7152 * linear[1]) + (0.0722 * linear[2]);
    }

    [GeneratedRegex(@":root \{([^}]*)\}")]
    private static partial Regex Palette();

    [GeneratedRegex("--([a-z0-9-]+): #([0-9a-f]{3,6})")]
    private static partial Regex Variable();

    [GeneratedRegex(@"([^{}]+)\{([^{}]*)\}")]
    private static partial Regex Rule();

    [GeneratedRegex(@"(?<![a-z-])color: var\(--([a-z0-9-]+)\)")]
    private static partial Regex Colour();

    [GeneratedRegex(@"(?<![a-z-])fill: var\(--([a-z0-9-]+)\)")]
    private static partial Regex Fill();

    [GeneratedRegex(@"background: var\(--([a-z0-9-]+)\)")]
    private static partial Regex Background();

    [GeneratedRegex(@"\.curve\.([a-z0-9]+) \{ stroke-dasharray: ([0-9 ]+); \}")]
    private static partial Regex Dashes();
}
