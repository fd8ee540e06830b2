/** Fields of a form, also those within its collections, each with the parameters that give it a value. */
import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';

export interface Field extends Pick<INodeProperties, 'displayName' | 'type' | 'noDataExpression'> {
	/** Its name, behind those of the collections around it: `options.allowedHours.from`. */
	path: string;
	/** The parameters in which it is shown and has this value. */
	with: (value: unknown) => INodeParameters;
}

/** @returns the fields that n8n shows for an operation */
export function shownIn(
	properties: readonly INodeProperties[],
	operation: string,
): INodeProperties[] {
	return properties.filter(({ displayOptions: { show } = {} }) =>
		(show?.operation ?? show?.['/operation'])?.includes(operation),
	);
}

/** The first choice by which a field is shown, apart from the operation. */
function shownBy({ displayOptions }: INodeProperties): object {
	const { operation: _, '/operation': __, ...show } = displayOptions?.show ?? {};
	return Object.fromEntries(Object.entries(show).map(([name, values]) => [name, values?.[0]]));
}

/**
 * @param around the parameters of the form in which these fields have their values
 * @param of names of the collections around them
 */
export function fieldsOf(
	properties: readonly INodeProperties[],
	around: (own: object) => INodeParameters,
	of: string[] = [],
): Field[] {
	return properties
		.filter(({ displayOptions }) => !('@tool' in (displayOptions?.show ?? {})))
		.flatMap((property): Field[] => {
			const { name, type, options = [], typeOptions } = property;
			const put = (value: unknown) => around({ ...shownBy(property), [name]: value });
			const names = [...of, name];
			if (type === 'collection') return fieldsOf(options as INodeProperties[], put, names);
			if (type === 'fixedCollection')
				return (options as INodePropertyCollection[]).flatMap((group) => {
					const usual = group.values.map((one) => [one.name, one.default] as const);
					const inGroup = (own: object) => {
						const values = { ...Object.fromEntries(usual), ...own };
						const isList = typeOptions?.multipleValues === true;
						return put({ [group.name]: isList ? [values] : values });
					};
					return fieldsOf(group.values, inGroup, names);
				});
			const isList = type === 'resourceLocator';
			const valueOf = (value: unknown) =>
				isList ? { __rl: true, mode: 'id', value } : value;
			const { displayName, noDataExpression } = property;
			const path = names.join('.');
			return [
				{ displayName, type, noDataExpression, path, with: (value) => put(valueOf(value)) },
			];
		});
}
