using System.Reflection;
using System.Text.RegularExpressions;
using LoadTesting.Contracts;

namespace CompatibilityTests;

/// <summary>The names that a scenario file may use, against those that are there.</summary>
public sealed partial class PublicNamesTests
{
    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(int)] = "int", [typeof(long)] = "long", [typeof(double)] = "double", [typeof(bool)] = "bool", [typeof(string)] = "string",
        [typeof(object)] = "object", [typeof(byte)] = "byte",
    };

    [Fact]
    public void Every_public_name_is_there_or_in_the_table_of_differences()
    {
        var differences = File.ReadAllText(Path.Combine(PerformanceTesting.Processes.Checkout.Root, "src/LoadTesting/Compatibility/README.md"));
        var here = typeof(IScenarioContext).Assembly.GetExportedTypes().SelectMany(Signatures).ToHashSet(StringComparer.Ordinal);

        var missing = Facts().Where(fact => !here.Contains(fact)).ToArray();

        var hidden = missing.Where(fact => !differences.Contains($"`{Member(fact)}`", StringComparison.Ordinal)).ToArray();
        Assert.True(hidden.Length == 0, $"Missing, and not in the README's table:\n{string.Join("\n", hidden)}");
        Assert.InRange(missing.Length, 1, 20);
    }

    [Fact]
    public void Table_of_differences_names_nothing_that_is_there()
    {
        var differences = File.ReadAllText(Path.Combine(PerformanceTesting.Processes.Checkout.Root, "src/LoadTesting/Compatibility/README.md"));
        var section = differences[differences.IndexOf("## What is missing", StringComparison.Ordinal)..];
        var here = typeof(IScenarioContext).Assembly.GetExportedTypes().SelectMany(Signatures).Select(Member).ToHashSet();

        Assert.Equal([], Quoted().Matches(section).Select(match => match.Groups[1].Value).Intersect(here));
    }

    private static string[] Facts() =>
        [.. File.ReadLines(Path.Combine(AppContext.BaseDirectory, "PublicNames.txt")).Where(line => line.Length > 0 && line[0] != '#')];

    // Contracts.Stats.NodeStats: AllBytes long -> NodeStats.AllBytes
    private static string Member(string fact)
    {
        var (type, member) = (fact[..fact.IndexOf(": ", StringComparison.Ordinal)], fact[(fact.IndexOf(": ", StringComparison.Ordinal) + 2)..]);
        return $"{Name().Match(type.Split('.')[^1]).Value}.{Name().Match(member).Value}";
    }

    private static IEnumerable<string> Signatures(Type type)
    {
        var prefix = $"{string.Concat(type.Namespace!.Split('.').Skip(1).Select(part => $"{part}."))}{NameOf(type)}: ";
        if (type.IsEnum)
        {
            return Enum.GetValuesAsUnderlyingType(type).Cast<int>().Select(value => $"{prefix}{Enum.GetName(type, value)} = {value}");
        }

        var all = type.GetInterfaces().Where(_ => type.IsInterface).Append(type).ToArray();
        return all.SelectMany(one => one.GetProperties()).Select(property => $"{prefix}{property.Name} {NameOf(property.PropertyType)}")
            .Concat(all.SelectMany(one => one.GetMethods()).Where(method => !method.IsSpecialName).SelectMany(Calls)
                .Select(call => prefix + call));
    }

    /// <summary>A method with all of its parameters, and without those that may be left out.</summary>
    private static IEnumerable<string> Calls(MethodInfo method)
    {
        var parameters = method.GetParameters();
        var least = parameters.TakeWhile(parameter => !parameter.IsOptional).Count();
        var name = method.Name + (method.IsGenericMethod ? "<T>" : "");
        return Enumerable.Range(least, parameters.Length - least + 1).Select(count =>
            $"{name}({string.Join(", ", parameters.Take(count).Select(parameter => $"{NameOf(parameter.ParameterType)} {parameter.Name}"))})");
    }

    private static string NameOf(Type type)
    {
        if (s_keywords.TryGetValue(type, out var keyword))
        {
            return keyword;
        }

        if (type.IsArray)
        {
            return $"{NameOf(type.GetElementType()!)}[]";
        }

        if (Nullable.GetUnderlyingType(type) is { } value)
        {
            return $"{NameOf(value)}?";
        }

        return type.IsGenericType
            ? $"{type.Name[..type.Name.IndexOf('`')]}<{string.Join(", ", type.GetGenericArguments().Select(NameOf))}>"
            : type.Name;
    }

    [GeneratedRegex(@"^\w+")]
    private static partial Regex Name();

    [GeneratedRegex(@"`(\w+\.\w+)`")]
    private static partial Regex Quoted();
}
