using System.Reflection;
using System.Text.RegularExpressions;
using Xunit.v3;

namespace PerformanceTests.Tiers;

/// <summary>A test without a tier would never run, and one with two would run twice.</summary>
[Trait(TierNames.Trait, TierNames.Calibration)]
public sealed partial class TierCatalogueTests
{
    [Fact]
    public void Every_test_has_exactly_one_known_category()
    {
        var tests = Tests().ToList();

        Assert.Contains(tests, test => test.Name.EndsWith(
            nameof(Every_test_has_exactly_one_known_category), StringComparison.Ordinal));
        Assert.Empty(tests.Select(test => Violation(test.Name, test.Categories)).OfType<string>());
    }

    [Fact]
    public void Every_tier_has_a_test() =>
        Assert.Empty(TierNames.All.Except(Tests().SelectMany(test => test.Categories)));

    [Theory]
    [InlineData("A.B has no Category; give it one of")]
    [InlineData(
        "A.B has 2 categories, WorkflowPerfSmoke and WorkflowPerfSoak; leave one", TierNames.Smoke, TierNames.Soak)]
    [InlineData(
        "A.B has 2 categories, WorkflowPerfSmoke and WorkflowPerfSmoke; leave one", TierNames.Smoke, TierNames.Smoke)]
    [InlineData("A.B has the Category 'WorkflowPerfSmok', which is none of", "WorkflowPerfSmok")]
    [InlineData(null, TierNames.Soak)]
    [InlineData(null, TierNames.Calibration)]
    [InlineData(null, TierNames.Findings)]
    [InlineData(null, TierNames.Extended)]
    [InlineData(null, TierNames.Daily)]
    public void Rule_of_categories_distinguishes_good_from_bad(string? expected, params string[] categories)
    {
        var violation = Violation("A.B", categories);

        if (expected is null)
        {
            Assert.Null(violation);
        }
        else
        {
            Assert.StartsWith(expected, violation, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Tiers_are_those_that_a_filter_may_name()
    {
        var targets = File.ReadAllText(Path.Combine(Checkout.Root, "tests", "Directory.Build.targets"));

        Assert.Equal(TierNames.All, PerformanceTiers().Match(targets).Groups[1].Value.Split(", "));
    }

    [Fact]
    public void Every_category_is_run_by_a_pipeline()
    {
        var workflows = Directory.GetFiles(Path.Combine(Checkout.Root, ".github", "workflows"), "*.yml");
        var text = string.Concat(workflows.Append(Path.Combine(Checkout.Root, ".ci", "run")).Select(File.ReadAllText));
        var asked = FilteredCategory().Matches(text).Select(match => match.Groups[1].Value);
        var nightly = NightlyTiers().Match(text).Groups[1].Value.Split(", ").Select(tier => $"WorkflowPerf{tier}");

        Assert.Empty(Tests().SelectMany(test => test.Categories).Distinct()
            .Except([TierNames.Smoke, TierNames.Calibration, .. asked, .. nightly]));
    }

    private static IEnumerable<(string Name, IReadOnlyList<string> Categories)> Tests() =>
        from type in typeof(TierCatalogueTests).Assembly.GetTypes()
        where !type.IsAbstract
        from method in type.GetMethods()
        where method.GetCustomAttributes(inherit: true).OfType<IFactAttribute>().Any()
        select ($"{type.FullName}.{method.Name}", CategoriesOf(type, method));

    private static IReadOnlyList<string> CategoriesOf(Type type, MethodInfo method) =>
    [
        .. from provider in new ICustomAttributeProvider[] { type.Assembly, type, method }
           from attribute in provider.GetCustomAttributes(inherit: true).OfType<ITraitAttribute>()
           from trait in attribute.GetTraits()
           where trait.Key == TierNames.Trait
           select trait.Value,
    ];

    private static string? Violation(string test, IReadOnlyList<string> categories)
    {
        string[] known = 
        [
            .. TierNames.All, TierNames.Calibration, TierNames.Findings, TierNames.Extended, TierNames.Daily,
        ];
        var names = string.Join(", ", known);
        return categories.Count switch
        {
            0 => $"{test} has no {TierNames.Trait}; give it one of {names}.",
            > 1 => $"{test} has {categories.Count} categories, {string.Join(" and ", categories)}; leave one.",
            _ when known.Contains(categories[0]) => null,
            _ => $"{test} has the {TierNames.Trait} '{categories[0]}', which is none of {names}.",
        };
    }

    [GeneratedRegex(@"--filter Category=(\w+)")]
    private static partial Regex FilteredCategory();

    [GeneratedRegex(@"\btier: \[([^\]]*)\]")]
    private static partial Regex NightlyTiers();

    [GeneratedRegex("<PerformanceTiers>([^<]*)</PerformanceTiers>")]
    private static partial Regex PerformanceTiers();
}
